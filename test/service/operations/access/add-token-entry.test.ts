import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  addTokenEntry,
  type WrittenEntry,
} from '../../../../src/service/operations/access/add-token-entry.js';
import { digestOf } from '../../../../src/service/operations/access/token.js';
import { readTokenEntries } from '../../../../src/service/operations/access/token-entries.js';
import { needs } from '../../../support/needs.js';

const root = {
  name: 'root',
  isMet: process.getuid?.() === 0,
  reason: 'another user runs the tests',
  isOptionalInCi: true,
};

let folder = '';
let path = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'stepwise-entry-'));
  path = join(folder, 'tokens.yaml');
});
const entry = (name: string): WrittenEntry => ({ name, sha256: digestOf(name), projects: 'all' });
const names = (): string[] => readTokenEntries(readFileSync(path, 'utf8')).map(({ caller }) => caller.name);

describe('adding an entry to a file of tokens (rule: token-command)', () => {
  test('a new file of tokens is readable only by its owner, and an existing one keeps its mode', async () => {
    await addTokenEntry(path, entry('a'));
    expect(statSync(path).mode & 0o777).toBe(0o600);
    chmodSync(path, 0o644);
    await addTokenEntry(path, entry('b'));
    expect([names(), statSync(path).mode & 0o777]).toEqual([['a', 'b'], 0o644]);
    expect(readdirSync(folder)).toEqual(['tokens.yaml']);
  });

  needs(root).test('a file of tokens keeps its owner when root adds an entry', async () => {
    writeFileSync(path, 'tokens: []');
    chmodSync(path, 0o640);
    chownSync(path, 1000, 1001);
    await addTokenEntry(path, entry('a'));
    const { uid, gid, mode } = statSync(path);
    expect([names(), uid, gid, mode & 0o777]).toEqual([['a'], 1000, 1001, 0o640]);
  });

  test.each([
    '',
    '\n',
    'tokens: []',
    '{"tokens": []}',
  ])('entries are added to a file that contains %j', async (text) => {
    writeFileSync(path, text);
    await addTokenEntry(path, entry('a'));
    await addTokenEntry(path, { ...entry('b'), expires: '2027-01-31' });
    expect(names()).toEqual(['a', 'b']);
  });

  test('adding an entry keeps comments and other entries', async () => {
    await addTokenEntry(path, entry('a'));
    const commented = `# who may call\n${readFileSync(path, 'utf8')}# the end\n`;
    writeFileSync(path, commented);
    await addTokenEntry(path, entry('b'));
    const text = readFileSync(path, 'utf8');
    expect(text).toMatch(/^# who may call\ntokens:\n {2}- name: a\n/);
    expect(text).toContain('# the end');
    expect(names()).toEqual(['a', 'b']);
  });

  test.each([
    ['on one line', (value: unknown) => JSON.stringify(value)],
    ['with two spaces', (value: unknown) => `${JSON.stringify(value, null, 2)}\n`],
    ['with tabs', (value: unknown) => `${JSON.stringify(value, null, '\t')}\n`],
  ])('an entry added to JSON %s keeps its format', async (_how, write) => {
    for (const tokens of [[], [entry('a')]]) {
      writeFileSync(path, write({ tokens }));
      await addTokenEntry(path, entry('b'));
      expect(readFileSync(path, 'utf8').trim()).toBe(
        write({ tokens: [...tokens, { ...entry('b'), limits: { requestsAtOnce: 32 } }] }).trim(),
      );
    }
  });

  test('an entry is not added to a pipe, which stays a pipe', async () => {
    execFileSync('mkfifo', [path]);
    await expect(addTokenEntry(path, entry('a'))).rejects.toThrow('expected an ordinary file');
    expect([statSync(path).isFIFO(), readdirSync(folder)]).toEqual([true, ['tokens.yaml']]);
  });

  test('an entry is not added if the file would exceed the maximum size', async () => {
    const comment = `# ${'x'.repeat(2 ** 18 - 60)}\ntokens: []\n`;
    writeFileSync(path, comment);
    await expect(addTokenEntry(path, entry('a'))).rejects.toThrow('larger than 256 KiB');
    expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual([comment, ['tokens.yaml']]);
  });

  test('an entry is added to the target of a link, which stays a link', async () => {
    const link = join(folder, 'link.yaml');
    writeFileSync(path, 'tokens: []');
    symlinkSync(path, link);
    await addTokenEntry(link, entry('a'));
    expect(names()).toEqual(['a']);
    expect(readFileSync(link, 'utf8')).toContain('name: a');
  });

  test('links to a missing file of tokens stay links, and the file is created', async () => {
    const [link, between] = [join(folder, 'link.yaml'), join(folder, 'between.yaml')];
    symlinkSync('between.yaml', link);
    symlinkSync(path, between);
    await addTokenEntry(link, entry('a'));
    expect([names(), readlinkSync(link), readlinkSync(between)]).toEqual([['a'], 'between.yaml', path]);
  });

  test('of concurrent additions, each one either adds its entry or is rejected', async () => {
    const made = ['a', 'b', 'c', 'd'];
    const results = await Promise.allSettled(made.map((name) => addTokenEntry(path, entry(name))));
    const done = made.filter((_, index) => results[index]?.status === 'fulfilled');
    expect(names().sort()).toEqual(done);
    const refused = results.flatMap((result) =>
      result.status === 'rejected' ? [String(result.reason)] : [],
    );
    expect(refused.every((reason) => reason.includes('another command is adding a token'))).toBe(true);
  });

  test.each([
    ['tokens: [', 'expected YAML or JSON'],
    ['tokens: [{name: a, sha256: x, projects: all}]', 'tokens[0].sha256: expected the SHA-256'],
  ])('an invalid file of tokens is rejected and stays unchanged: %j', async (text, problem) => {
    writeFileSync(path, text);
    await expect(addTokenEntry(path, entry('a'))).rejects.toThrow(problem);
    expect([readFileSync(path, 'utf8'), readdirSync(folder)]).toEqual([text, ['tokens.yaml']]);
  });

  test('an entry with a name that exists is rejected', async () => {
    await addTokenEntry(path, entry('a'));
    await expect(addTokenEntry(path, { ...entry('b'), name: 'a' })).rejects.toThrow(
      'a token named a already exists',
    );
    expect(names()).toEqual(['a']);
  });

  test('a missing folder is rejected with the error of the operating system', async () => {
    await expect(addTokenEntry(join(folder, 'no', 't.yaml'), entry('a'))).rejects.toThrow('ENOENT');
  });
});
