import { execFileSync } from 'node:child_process';
import { mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { stringify } from 'yaml';
import { type AccessTokens, openTokenFile } from '../../../../src/service/operations/access/access-tokens.js';
import { createToken, digestOf } from '../../../../src/service/operations/access/token.js';
import { linesInto } from '../../../support/test-service.js';
import { until } from '../../../support/until.js';

const folder = mkdtempSync(join(tmpdir(), 'stepwise-tokens-'));
const path = join(folder, 'tokens.yaml');
const log: Record<string, unknown>[] = [];
let opened: AccessTokens | undefined;
afterEach(() => {
  opened?.close();
  rmSync(path, { force: true });
  log.length = 0;
});

const open = async (file = path): Promise<AccessTokens> => {
  opened = await openTokenFile(file, pino(linesInto(log)));
  return opened;
};
const [ours, others] = [createToken(), createToken()];
const fileOf = (...tokens: string[]): string =>
  stringify({
    tokens: tokens.map((token, index) => ({ name: `t${index}`, sha256: digestOf(token), projects: 'all' })),
  });
const named = (tokens: AccessTokens, token: string): string => {
  const caller = tokens.identify([`Bearer ${token}`]);
  return typeof caller === 'string' ? caller : caller.name;
};
describe('identifying callers (rule: bearer-tokens)', () => {
  test.each([
    [[], 'missing'],
    [['Bearer'], 'malformed'],
    [['Bearer '], 'malformed'],
    [[''], 'malformed'],
    [[ours], 'malformed'],
    [[`Basic ${ours}`], 'malformed'],
    [[`Bearer ${ours} ${ours}`], 'malformed'],
    [[`Bearer "${ours}"`], 'malformed'],
    [[`Bearer ${ours}\u00e9`], 'malformed'],
    [[`Bearer ${ours}, Bearer ${ours}`], 'malformed'],
    [[`Bearer\t${ours}`], 'malformed'],
    [[`Bearer ${'a'.repeat(10_000)}`], 'malformed'],
    [[`Bearer ${ours}`, `Bearer ${ours}`], 'repeated'],
    [[`Bearer ${ours.slice(0, -1)}`], 'unknown'],
    [[`Bearer ${ours.toUpperCase()}`], 'unknown'],
    [[`Bearer ${digestOf(ours)}`], 'unknown'],
    [['Bearer __proto__'], 'unknown'],
    [['Bearer sk-proj-0123456789abcdef'], 'model_key'],
  ])('the Authorization headers %j are rejected as %s', async (headers, problem) => {
    writeFileSync(path, fileOf(ours));
    expect((await open()).identify(headers)).toBe(problem);
  });

  test.each([
    'Bearer',
    'bearer',
    'BEARER',
    'Bearer  ',
  ])('the authorization scheme may be written as %s', async (scheme) => {
    writeFileSync(path, fileOf(others, ours));
    expect((await open()).identify([`${scheme} ${ours}`])).toMatchObject({ name: 't1' });
  });

  test('an expired token is distinguished from an unknown one', async () => {
    const entry = { name: 'old', sha256: digestOf(ours), projects: 'all', expires: '2026-01-31' };
    writeFileSync(path, stringify({ tokens: [entry] }));
    const tokens = await open();
    expect([named(tokens, ours), named(tokens, others)]).toEqual(['expired', 'unknown']);
  });

  test('a new token has 256 random bits and the prefix stepwise_', () => {
    const made = Array.from({ length: 100 }, createToken);
    expect(made.every((token) => /^stepwise_[\da-f]{64}$/.test(token))).toBe(true);
    expect(new Set(made).size).toBe(100);
  });
});

describe('reloading the file of tokens (rule: token-file)', () => {
  /** Ways in which other programs replace the contents of a file. */
  const changes: Record<string, (text: string) => void> = {
    'written over': (text) => writeFileSync(path, text),
    'replaced by rename': (text) => {
      writeFileSync(`${path}.swp`, text);
      renameSync(`${path}.swp`, path);
    },
    'deleted and created again': (text) => {
      rmSync(path);
      writeFileSync(path, text);
    },
  };

  test.each(Object.keys(changes))('the file of tokens is reloaded after it was %s', async (name) => {
    writeFileSync(path, fileOf(ours));
    const tokens = await open();
    changes[name]?.(fileOf(others));
    await until(() => named(tokens, others) === 't0');
    expect(named(tokens, ours)).toBe('unknown');
  });

  test('the file of tokens is reloaded if it is mounted like a Kubernetes ConfigMap', async () => {
    const mount = mkdtempSync(join(tmpdir(), 'stepwise-mount-'));
    const version = (name: string, token: string): void => {
      execFileSync('mkdir', ['-p', join(mount, name)]);
      writeFileSync(join(mount, name, 'tokens.yaml'), fileOf(token));
      symlinkSync(name, join(mount, '..next'));
      renameSync(join(mount, '..next'), join(mount, '..data'));
    };
    version('..1', ours);
    symlinkSync('..data/tokens.yaml', join(mount, 'tokens.yaml'));
    const tokens = await open(join(mount, 'tokens.yaml'));
    version('..2', others);
    await until(() => named(tokens, others) === 't0');
    expect(named(tokens, ours)).toBe('unknown');
  });

  test.each([
    ['is broken', () => writeFileSync(path, 'tokens: [stepwise_canary')],
    ['is empty', () => writeFileSync(path, '')],
    ['is missing', () => rmSync(path)],
    [
      'is a pipe',
      () => {
        rmSync(path);
        execFileSync('mkfifo', [path]);
      },
    ],
    ['is too large', () => writeFileSync(path, `# ${'x'.repeat(2 ** 18)}`)],
  ])('if the file of tokens is reloaded and the new one %s, the loaded tokens stay valid and one line is logged', async (_, breakIt) => {
    writeFileSync(path, fileOf(ours));
    const tokens = await open();
    breakIt();
    await until(() => log.length > 0);
    expect(log).toEqual([expect.objectContaining({ level: 40, problems: [expect.any(String)] })]);
    expect(JSON.stringify(log)).not.toMatch(/canary/);
    expect(named(tokens, ours)).toBe('t0');
    rmSync(path, { force: true });
    writeFileSync(path, 'tokens: []');
    await until(() => named(tokens, ours) === 'unknown');
  });
});
