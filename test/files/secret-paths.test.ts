import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isSecretPath, isSecretPlace } from '../../src/files/secret-paths.js';

const secret = (paths: readonly string[]) => paths.filter(isSecretPath);

describe('names of secret files (rule: secret-files)', () => {
  test('a secret file name is refused even with trailing dots and spaces, which Windows ignores', () => {
    const paths = ['server.key.', 'server.key ', 'certs/server.pem. . .', '.git./config', '.ssh /config'];
    expect(secret(paths)).toEqual(paths);
  });

  test('an NTFS alternate data stream of a secret file is refused, even with trailing dots', () => {
    const paths = [
      'x.pem::$DATA',
      '.git::$INDEX_ALLOCATION/config',
      'server.key.:note',
      '.npmrc:Zone.Identifier',
    ];
    expect(secret(paths)).toEqual(paths);
  });

  test('a secret file is refused under its short Windows name, with a number or a hash', () => {
    const paths = [
      'GIT~1/config',
      'git~2/HEAD',
      'GIT-CR~1',
      'ENV~1',
      'ENVRC~1',
      'ENV~1.LOC',
      'ID_RSA~1',
      'ID_ED2~1.PUB',
      'NPMRC~1',
      'SSH~1/known_hosts',
      'LONGCE~1.PEM',
      'STORE~1.KDB',
      'DOCKER~1/CONFIG~1.JSO',
      '.docker/CONFIG~1.JSO',
      'GI7D29~1/config',
      'SERVER~1.KEY.',
    ];
    expect(secret(paths)).toEqual(paths);
  });

  test('a secret file is refused in upper and lower case, even with non-ASCII letters that fold to ASCII', () => {
    const paths = ['ID_RSA', '.Git/config', '.\u017Fsh/config', 'server.\u212Aey'];
    expect(secret(paths)).toEqual(paths);
  });

  test('every name that begins with `.env` is refused, except names of other tools such as `.envoy`', () => {
    const paths = ['', '.local', 'rc', '-prod', '_prod', '~', '.bak', 'prod', '1', 's/x', 'ironment', 'oyrc'];
    expect(secret(paths.map((end) => `.env${end}`))).toHaveLength(paths.length);
    const others = ['.envoy', '.envoy/a.ts', '.envoy.yaml', '.environment.d/50.conf', 'ENVOY~1/a.ts'];
    expect(secret(others)).toEqual([]);
    expect(secret(['.envoy/prod.env', '.envoy.key', '.environment.d/id_rsa'])).toHaveLength(3);
  });

  test.each([
    [
      'state and credentials of Terraform',
      [
        'terraform.tfstate',
        'infra/terraform.tfstate.backup',
        'terraform.tfstate.1700000000.backup',
        'terraform.tfstate.d/prod/terraform.tfstate',
        'prod.tfstate',
        '.terraformrc',
        'terraform.rc',
        '.terraform.d/credentials.tfrc.json',
        'TERRAF~1.TFS',
      ],
    ],
    [
      'keys of service accounts',
      [
        'service-account.json',
        'keys/service-account-prod.json',
        'service_account.json',
        'serviceAccountKey.json',
        'my-service-account.json',
        'shop-1a2b3-firebase-adminsdk-x1y2z-0123456789.json',
        'application_default_credentials.json',
      ],
    ],
    [
      'environment files with further endings',
      ['prod.env.local', 'app.env.production', 'docker/web.env.bak', '.env.example'],
    ],
    [
      'histories of shells',
      [
        '.bash_history',
        '.zsh_history',
        '.bash_history-01234.tmp',
        '.zsh_history.new',
        '.sh_history',
        '.ksh_history',
        '.ash_history',
        '.history',
        '.zhistory',
        '.histfile',
        '.zsh_sessions/0A1B.history',
        '.bash_sessions/0A1B.historynew',
        '.local/share/fish/fish_history',
        'PSReadLine/ConsoleHost_history.txt',
        'PSReadLine/Visual Studio Code Host_history.txt',
        '.config/nushell/history.txt',
        '.config/nushell/history.sqlite3',
        'BASH_H~1',
      ],
    ],
    [
      'histories of other consoles',
      [
        '.psql_history',
        '.mysql_history',
        '.mariadb_history',
        '.sqlite_history',
        '.rediscli_history',
        '.node_repl_history',
        '.python_history',
        '.irb_history',
        '.Rhistory',
        '.dbshell',
        '.ipython/profile_default/history.sqlite',
      ],
    ],
  ])('%s are refused in any folder', (_what, names) => {
    const paths = names.flatMap((name) => [name, `home/me/${name}`, name.toUpperCase()]);
    expect(secret(paths)).toEqual(paths);
  });

  test('a name that only resembles a secret file is not refused', () => {
    const paths = [
      '.',
      'draft~1.md',
      'main.c~',
      'notes.md.',
      'gitign~1',
      'digit~1',
      'a:b.txt',
      'key',
      'src/keys.ts',
      'config~1.jso',
      'docker/config.json',
      'environment.ts',
      'src/env.local.ts',
      'main.tf',
      'terraform.tfvars.md',
      'tfstate.ts',
      'service-account.ts',
      'src/service-accounts/list.ts',
      'accounts.json',
      'history.ts',
      'price_history.txt',
      'docs/release_history.md',
      'bash_history.md',
      'history.txt',
      '.config/settings.json',
      'ge00ff00~x',
    ];
    expect(secret(paths)).toEqual([]);
  });

  test('a secret name is refused anywhere in a path', () => {
    const names = fc.constantFrom('a', 'src', 'b.ts', 'c~1', 'd.', 'e:f');
    fc.assert(
      fc.property(fc.array(names), fc.array(names), (before, after) => {
        expect(isSecretPath([...before, ...after].join('/'))).toBe(false);
        expect(isSecretPath([...before, 'GIT~1', ...after].join('/'))).toBe(true);
        expect(isSecretPath([...before, '.docker', 'config.json', ...after].join('/'))).toBe(true);
      }),
    );
  });
});

describe('project folders by absolute path (rule: secret-files)', () => {
  const refused = (paths: readonly string[]) => paths.filter(isSecretPlace);

  test('a folder with a secret name or inside a secret folder is refused as a project', () => {
    const paths = [
      '/home/me/.ssh',
      '/home/me/.ssh/old/keys',
      '/c:/Users/me/SSH~1/keys',
      '/home/me/.config/gh',
      '/home/me/.config/gcloud/logs',
      '/repo/.git/hooks',
      '/repo/.env',
      '/repo/.env/',
      '/home/me/certs.pem',
    ];
    expect(refused(paths)).toEqual(paths);
  });

  test('a folder is accepted as a project even if its name, or that of a parent, is secret only for files', () => {
    const paths = [
      '/',
      '/home/me/.envoy',
      '/home/me/.envoy/project',
      '/home/me/.env-tools/project',
      '/srv/prod.env/project',
      '/c:/Users/ENV~1/project',
      '/home/me/.config/project',
    ];
    expect(refused(paths)).toEqual([]);
  });
});
