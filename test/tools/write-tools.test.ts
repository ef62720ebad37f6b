import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from '@jest/globals';
import type { ToolArguments } from '../../src/sdk/actions/define-tool.js';
import { createToolPack } from '../../src/tools/tool-pack.js';
import { openWorkshop, secret, swapping, type Workshop } from '../support/workshop.js';

/** A small disk of its own takes the right to mount one: in most containers, and in CI as root. */
const mountable = spawnSync('sh', ['-c', 'd=$(mktemp -d) && mount -t tmpfs x $d && umount $d']).status === 0;
const whereMountable = mountable ? test : test.skip;

const context = { signal: new AbortController().signal, callId: 'call_7' };
const read = ({ folder }: Workshop, path: string) => readFileSync(join(folder, path), 'utf8');
const preview = ({ tool }: Workshop, name: string, args: ToolArguments) =>
  tool(name).preview?.(args, context);

describe('write_file (rule: tool-pack)', () => {
  test('writes a whole file with its folders, and says what it did', async () => {
    const shop = await openWorkshop();
    expect(await shop.call('write_file', { path: 'a/b/c.txt', content: 'one\ntwo\n' })).toBe(
      'Created a/b/c.txt: 2 lines.',
    );
    expect(await shop.call('write_file', { path: 'a/b/c.txt', content: '' })).toBe(
      'Replaced a/b/c.txt: 0 lines.',
    );
    expect(read(shop, 'a/b/c.txt')).toBe('');
  });

  test('keeps the mode of the file and leaves nothing else behind', async () => {
    const shop = await openWorkshop({ 'run.sh': 'old' });
    chmodSync(join(shop.folder, 'run.sh'), 0o755);
    await shop.call('write_file', { path: 'run.sh', content: 'new' });
    expect(statSync(join(shop.folder, 'run.sh')).mode & 0o777).toBe(0o755);
    expect(readdirSync(shop.folder)).toEqual(['run.sh']);
  });

  test('the preview is a diff, for a new file from nothing', async () => {
    const shop = await openWorkshop({ 'a.txt': 'one\ntwo\n' });
    expect(await preview(shop, 'write_file', { path: 'a.txt', content: 'one\n2\n' })).toContain('-two\n+2');
    expect(await preview(shop, 'write_file', { path: 'b.txt', content: 'x\n' })).toContain('--- /dev/null');
  });

  test('two large texts without anything in common do not hold the preview up', async () => {
    const text = (seed: number) =>
      Array.from({ length: 20_000 }, (_, index) => `${seed * index}-${seed}`).join('\n');
    const shop = await openWorkshop({ 'a.txt': text(7) });
    const shown = await preview(shop, 'write_file', { path: 'a.txt', content: text(11) });
    expect(shown).toMatch(/the whole text changes|^--- a/);
    expect(shown).toContain(`\n+${11 * 19_999}-11`); // nothing that is approved is hidden
  });

  test.each(['.env', '.git/hooks/pre-commit', 'sub/id_rsa', 'x.pem'])('`%s` is not written', async (path) => {
    const shop = await openWorkshop();
    await expect(shop.call('write_file', { path, content: 'x' })).rejects.toThrow('no readable file');
    expect(existsSync(join(shop.folder, path))).toBe(false);
  });

  test('a link in the place of the file or of a folder is not followed outside', async () => {
    const shop = await openWorkshop();
    symlinkSync(join(shop.outside, 'new.txt'), join(shop.folder, 'dangling'));
    symlinkSync(shop.outside, join(shop.folder, 'out'));
    await expect(shop.call('write_file', { path: 'out/x.txt', content: 'x' })).rejects.toMatchObject({
      name: 'SecurityViolation',
    });
    await shop.call('write_file', { path: 'dangling', content: 'x' }).catch(() => undefined);
    expect(readdirSync(shop.outside)).toEqual(['secret.txt']);
    expect(readFileSync(join(shop.outside, 'secret.txt'), 'utf8')).toBe(secret);
  });

  test('a folder in the place of the file is an observation', async () => {
    const shop = await openWorkshop();
    mkdirSync(join(shop.folder, 'src'));
    await expect(shop.call('write_file', { path: 'src', content: 'x' })).rejects.toThrow('no readable file');
  });

  test('a folder swapped for a link while writing: nothing is written outside', async () => {
    const shop = await openWorkshop({ 'a/x.txt': 'x' });
    symlinkSync(shop.outside, join(shop.folder, 'evil'));
    const swapper = new Worker(swapping, { eval: true, workerData: shop.folder });
    const ends = new Set<string>();
    for (let round = 0; round < 500; round++) {
      const written = shop.call('write_file', { path: 'a/new.txt', content: 'from inside' });
      ends.add(await written.catch((error: Error) => error.name));
    }
    await swapper.terminate();
    expect(readdirSync(shop.outside)).toEqual(['secret.txt']);
    expect(ends).toContain('SecurityViolation');
  }, 30_000);

  whereMountable('a full disk ends the run; the old file is whole, and no half is left', async () => {
    const disk = mkdtempSync(join(tmpdir(), 'stepwise-disk-'));
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'stepwise', disk]);
    try {
      writeFileSync(join(disk, 'a.txt'), 'old');
      const write = (await createToolPack(disk)).find(({ name }) => name === 'write_file');
      const args = { path: 'a.txt', content: 'x'.repeat(1_000_000) };
      await expect((async () => write?.execute(args, context))()).rejects.toMatchObject({
        reason: 'SYSTEM_ERROR',
        message: 'The disk is full. (a.txt)',
      });
      expect(readFileSync(join(disk, 'a.txt'), 'utf8')).toBe('old');
      expect(readdirSync(disk)).toEqual(['a.txt']);
    } finally {
      execFileSync('umount', [disk]);
    }
  });
});

describe('edit_file (rule: tool-pack)', () => {
  const code = 'const a = 1;\nconst b = 1;\nconst c = 3;\n';
  const edit = (old_string: string, new_string: string) => ({ path: 'a.ts', old_string, new_string });

  test('replaces what occurs exactly once, and shows the change', async () => {
    const shop = await openWorkshop({ 'a.ts': code });
    expect(await shop.call('edit_file', edit('c = 3', 'c = 4'))).toContain('-const c = 3;\n+const c = 4;');
    expect(read(shop, 'a.ts')).toBe(code.replace('3', '4'));
  });

  test.each([
    [edit('= 1;', '= 2;'), 'occurs 2 times in "a.ts" (lines 1, 2)'],
    [edit('d = 1', 'd = 2'), 'does not occur in "a.ts"'],
    [edit('', 'x'), 'old_string is empty'],
    [edit('a', 'a'), 'are the same'],
    [edit('aa', 'b'), 'does not occur'],
  ])('%j changes nothing', async (args, message) => {
    const shop = await openWorkshop({ 'a.ts': code });
    await expect(shop.call('edit_file', args)).rejects.toThrow(message);
    await expect(preview(shop, 'edit_file', args)).rejects.toThrow(message);
    expect(read(shop, 'a.ts')).toBe(code);
  });

  test('places that overlap are several places', async () => {
    const shop = await openWorkshop({ 'a.ts': 'aaa' });
    await expect(shop.call('edit_file', edit('aa', 'b'))).rejects.toThrow('occurs 2 times');
  });

  test('`$&` in the new text is itself', async () => {
    const shop = await openWorkshop({ 'a.ts': 'x' });
    await shop.call('edit_file', edit('x', '$& $1 $$'));
    expect(read(shop, 'a.ts')).toBe('$& $1 $$');
  });

  test('line ends of Windows are matched and kept', async () => {
    const shop = await openWorkshop({ 'a.ts': 'one\r\ntwo\r\nthree\r\n' });
    await shop.call('edit_file', edit('one\ntwo', '1\n2\n2b'));
    expect(read(shop, 'a.ts')).toBe('1\r\n2\r\n2b\r\nthree\r\n');
  });

  test('a file that changes between preview and execution is left alone', async () => {
    const shop = await openWorkshop({ 'a.ts': code });
    const args = edit('c = 3', 'c = 4');
    await preview(shop, 'edit_file', args);
    writeFileSync(join(shop.folder, 'a.ts'), `// new\n${code}`);
    await expect((async () => shop.tool('edit_file').execute(args, context))()).rejects.toThrow(
      'was changed in the meantime, by another call or by somebody else',
    );
    expect(read(shop, 'a.ts')).toBe(`// new\n${code}`);
    await shop.tool('edit_file').execute(args, { ...context, callId: 'call_8' });
    expect(read(shop, 'a.ts')).toBe(`// new\n${code.replace('3', '4')}`);
  });

  test('two edits of one file in one step both arrive', async () => {
    const shop = await openWorkshop({ 'a.ts': code });
    await shop.call('edit_file', edit('a = 1', 'a = 7'));
    await shop.call('edit_file', edit('b = 1', 'b = 8'));
    expect(read(shop, 'a.ts')).toBe('const a = 7;\nconst b = 8;\nconst c = 3;\n');
  });

  test('so do two that were both approved before the first one ran (rule: approval)', async () => {
    const shop = await openWorkshop({ 'a.ts': code });
    const tool = shop.tool('edit_file');
    const [first, second] = [edit('a = 1', 'a = 7'), edit('b = 1', 'b = 8')];
    await tool.preview?.(first, { ...context, callId: 'one' });
    await tool.preview?.(second, { ...context, callId: 'two' });
    await tool.execute(first, { ...context, callId: 'one' });
    await tool.execute(second, { ...context, callId: 'two' });
    expect(read(shop, 'a.ts')).toBe('const a = 7;\nconst b = 8;\nconst c = 3;\n');
  });

  test("but not if somebody else's change came between them (rule: approval)", async () => {
    const shop = await openWorkshop({ 'a.ts': code });
    const tool = shop.tool('edit_file');
    const second = [edit('b = 1', 'b = 8'), { ...context, callId: 'two' }] as const;
    await tool.preview?.(...second);
    await shop.call('edit_file', edit('a = 1', 'a = 7'));
    const between = `// new\n${read(shop, 'a.ts')}`;
    writeFileSync(join(shop.folder, 'a.ts'), between);
    await expect((async () => tool.execute(...second))()).rejects.toThrow('was changed in the meantime');
    expect(read(shop, 'a.ts')).toBe(between);
  });
});
