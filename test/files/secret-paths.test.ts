import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isSecretPath, isSecretPlace } from '../../src/files/secret-paths.js';

const secret = (paths: readonly string[]) => paths.filter(isSecretPath);

describe('names of secret files (rule: secret-files)', () => {
  test('a secret file is refused with trailing dots and spaces, which Windows ignores', () => {
    const paths = ['server.key.', 'server.key ', 'certs/server.pem. . .', '.git./config', '.ssh /config'];
    expect(secret(paths)).toEqual(paths);
  });

  test('a stream of a secret file is refused, with trailing dots too', () => {
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

  test('a secret file is refused in any case, folded non-ASCII letters included', () => {
    const paths = ['ID_RSA', '.Git/config', '.\u017Fsh/config', 'server.\u212Aey'];
    expect(secret(paths)).toEqual(paths);
  });

  test('every name that begins with `.env` is refused, unless it is another word', () => {
    const paths = ['', '.local', 'rc', '-prod', '_prod', '~', '.bak', 'prod', '1', 's/x', 'ironment', 'oyrc'];
    expect(secret(paths.map((end) => `.env${end}`))).toHaveLength(paths.length);
    const others = ['.envoy', '.envoy/a.ts', '.envoy.yaml', '.environment.d/50.conf', 'ENVOY~1/a.ts'];
    expect(secret(others)).toEqual([]);
    expect(secret(['.envoy/prod.env', '.envoy.key', '.environment.d/id_rsa'])).toHaveLength(3);
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

  test('a folder is accepted as a project below a folder whose name only matches secret files', () => {
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
