import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isSecretPath } from '../../src/files/secret-paths.js';

const secret = (paths: readonly string[]) => paths.filter(isSecretPath);

describe('a secret file is one under each name that a system knows it by (rule: secret-files)', () => {
  test('with dots and spaces at its end, which Windows leaves out', () => {
    const paths = ['server.key.', 'server.key ', 'certs/server.pem. . .', '.git./config', '.ssh /config'];
    expect(secret(paths)).toEqual(paths);
  });

  test('as a stream of the file, also of one whose end is left out', () => {
    const paths = [
      'x.pem::$DATA',
      '.git::$INDEX_ALLOCATION/config',
      'server.key.:note',
      '.npmrc:Zone.Identifier',
    ];
    expect(secret(paths)).toEqual(paths);
  });

  test('in short, with a number or with the digits that Windows takes from the fifth on', () => {
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

  test('in any case, that of letters from afar included', () => {
    const paths = ['ID_RSA', '.Git/config', '.\u017Fsh/config', 'server.\u212Aey'];
    expect(secret(paths)).toEqual(paths);
  });

  test('and what only looks like one of these is a file like any other', () => {
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

  test('whatever stands before and after it in the path', () => {
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
