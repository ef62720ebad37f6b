import { execFileSync, spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
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
import { Worker } from 'node:worker_threads';
import { describe, expect, test } from '@jest/globals';
import type { ApprovalDecision } from '../../src/sdk/actions/approval.js';
import type { ToolArguments } from '../../src/sdk/actions/define-tool.js';
import { createToolPack } from '../../src/tools/tool-pack.js';
import { needs } from '../support/needs.js';
import { done, finish } from '../support/run-harness.js';
import { openWorkshop, secret, swapping, type Workshop } from '../support/workshop.js';

/** Permission to mount a small disk, which root has in most containers. */
const mounting = {
  name: 'mount',
  isMet: spawnSync('sh', ['-c', 'd=$(mktemp -d) && mount -t tmpfs x $d && umount $d']).status === 0,
  reason: 'not permitted',
  isOptionalInCi: true,
};
const { test: testWithMount } = needs(mounting);

const root = {
  name: 'root',
  isMet: process.getuid?.() === 0,
  reason: 'only root may change the owner of a file',
  isOptionalInCi: true,
};
const { test: testAsRoot } = needs(root);

const context = { signal: new AbortController().signal, callId: 'call_7', earlierCallIds: [] };
const read = ({ folder }: Workshop, path: string) => readFileSync(join(folder, path), 'utf8');
const preview = ({ tool }: Workshop, name: string, args: ToolArguments) =>
  tool(name).preview?.(args, context);

describe('write_file (rule: tool-pack)', () => {
  test('write_file creates a file with its folders or replaces it, and reports which', async () => {
    const shop = await openWorkshop();
    expect(await shop.call('write_file', { path: 'a/b/c.txt', content: 'one\ntwo\n' })).toBe(
      'Created a/b/c.txt: 2 lines.',
    );
    expect(await shop.call('write_file', { path: 'a/b/c.txt', content: '' })).toBe(
      'Replaced a/b/c.txt: 0 lines.',
    );
    expect(read(shop, 'a/b/c.txt')).toBe('');
  });

  test('write_file keeps the mode of a file and leaves no temporary file', async () => {
    const shop = await openWorkshop({ 'run.sh': 'old' });
    chmodSync(join(shop.folder, 'run.sh'), 0o755);
    await shop.call('write_file', { path: 'run.sh', content: 'new' });
    expect(statSync(join(shop.folder, 'run.sh')).mode & 0o777).toBe(0o755);
    expect(readdirSync(shop.folder)).toEqual(['run.sh']);
  });

  test('write_file keeps permissions that the umask denies to new files', async () => {
    const shop = await openWorkshop({ 'shared.txt': 'old' });
    chmodSync(join(shop.folder, 'shared.txt'), 0o666);
    await shop.call('write_file', { path: 'shared.txt', content: 'new' });
    expect(statSync(join(shop.folder, 'shared.txt')).mode & 0o777).toBe(0o666);
  });

  testAsRoot('write_file keeps the owner of a file if root runs it', async () => {
    const shop = await openWorkshop({ 'a.txt': 'old' });
    chownSync(join(shop.folder, 'a.txt'), 1234, 1235);
    await shop.call('write_file', { path: 'a.txt', content: 'new' });
    expect(statSync(join(shop.folder, 'a.txt'))).toMatchObject({ uid: 1234, gid: 1235 });
  });

  test('write_file does not replace a read-only file (rule: tool-pack)', async () => {
    const shop = await openWorkshop({ 'a.txt': 'old' });
    chmodSync(join(shop.folder, 'a.txt'), 0o444);
    await expect(shop.call('write_file', { path: 'a.txt', content: 'new' })).rejects.toThrow('is read-only');
    expect(read(shop, 'a.txt')).toBe('old');
    expect(readdirSync(shop.folder)).toEqual(['a.txt']);
  });

  test('write_file replaces a file with the longest possible name', async () => {
    const name = 'n'.repeat(255);
    const shop = await openWorkshop({ [name]: 'old' });
    await shop.call('write_file', { path: name, content: 'new' });
    expect(read(shop, name)).toBe('new');
  });

  test.each([
    '~/notes.txt',
    '~',
    'file:///tmp/notes.txt',
    'https://example.com/a',
  ])('write_file does not create a folder for %s (rule: containment)', async (path) => {
    const shop = await openWorkshop();
    await expect(shop.call('write_file', { path, content: 'x' })).rejects.toThrow(
      'not a path in the project',
    );
    expect(readdirSync(shop.folder)).toEqual([]);
  });

  test('write_file rejects a NUL character, which would make the file binary', async () => {
    const shop = await openWorkshop({ 'a.c': 'old' });
    const call = shop.call('write_file', { path: 'a.c', content: "char end = '\0';" });
    await expect(call).rejects.toThrow('has a NUL character');
    expect(read(shop, 'a.c')).toBe('old');
  });

  test('the preview of write_file shows half of a surrogate pair as it will be in the file', async () => {
    const shop = await openWorkshop();
    const file = { path: 'a.txt', content: 'x\ud83d' };
    expect(await preview(shop, 'write_file', file)).toContain('+x\uFFFD');
    await shop.call('write_file', file);
    expect(read(shop, 'a.txt')).toBe('x\uFFFD');
  });

  test('write_file previews a diff; for a new file it is against /dev/null', async () => {
    const shop = await openWorkshop({ 'a.txt': 'one\ntwo\n' });
    expect(await preview(shop, 'write_file', { path: 'a.txt', content: 'one\n2\n' })).toContain('-two\n+2');
    expect(await preview(shop, 'write_file', { path: 'b.txt', content: 'x\n' })).toContain('--- /dev/null');
  });

  test('write_file previews the complete new text even if the diff is very large', async () => {
    const text = (seed: number) =>
      Array.from({ length: 20_000 }, (_, index) => `${seed * index}-${seed}`).join('\n');
    const shop = await openWorkshop({ 'a.txt': text(7) });
    const shown = await preview(shop, 'write_file', { path: 'a.txt', content: text(11) });
    expect(shown).toMatch(/the whole text changes|^--- a/);
    expect(shown).toContain(`\n+${11 * 19_999}-11`); // the last line is shown too
  });

  test.each([
    '.env',
    '.git/hooks/pre-commit',
    'sub/id_rsa',
    'x.pem',
  ])('write_file refuses to write the secret or internal file %s', async (path) => {
    const shop = await openWorkshop();
    await expect(shop.call('write_file', { path, content: 'x' })).rejects.toThrow('no readable file');
    expect(existsSync(join(shop.folder, path))).toBe(false);
  });

  test('write_file does not follow symbolic links out of the project', async () => {
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

  test('write_file creates the missing file in the project that a symbolic link leads to', async () => {
    const shop = await openWorkshop({ 'docs/a.md': 'a' });
    symlinkSync('docs/new.md', join(shop.folder, 'first'));
    symlinkSync('first', join(shop.folder, 'second'));
    await shop.call('write_file', { path: 'second', content: 'x' });
    expect(read(shop, 'docs/new.md')).toBe('x');
    expect(readlinkSync(join(shop.folder, 'second'))).toBe('first');
  });

  test('a symbolic link out of the project is refused alike whether or not its target exists (rule: containment)', async () => {
    const shop = await openWorkshop();
    symlinkSync(join(shop.outside, 'new.txt'), join(shop.folder, 'dangling'));
    symlinkSync(join(shop.outside, 'secret.txt'), join(shop.folder, 'existing'));
    for (const path of ['dangling', 'existing'])
      for (const name of ['read_file', 'write_file'])
        await expect(shop.call(name, { path, content: 'x' })).rejects.toMatchObject({
          name: 'SecurityViolation',
        });
    expect(readdirSync(shop.outside)).toEqual(['secret.txt']);
  });

  test('write_file rejects the path of a folder', async () => {
    const shop = await openWorkshop();
    mkdirSync(join(shop.folder, 'src'));
    await expect(shop.call('write_file', { path: 'src', content: 'x' })).rejects.toThrow('is a folder');
  });

  test('write_file writes nothing outside the project while another process swaps a folder for a link', async () => {
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

  testWithMount(
    'write_file on a full disk throws SYSTEM_ERROR and leaves the old file and no temporary file',
    async () => {
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
    },
  );
});

describe('edit_file (rule: tool-pack)', () => {
  const code = 'const a = 1;\nconst b = 1;\nconst c = 3;\n';
  const edit = (old_string: string, new_string: string) => ({ path: 'a.ts', old_string, new_string });

  test('edit_file replaces a text that occurs exactly once and shows the diff', async () => {
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
  ])('edit_file rejects %j and leaves the file unchanged', async (args, message) => {
    const shop = await openWorkshop({ 'a.ts': code });
    await expect(shop.call('edit_file', args)).rejects.toThrow(message);
    await expect(preview(shop, 'edit_file', args)).rejects.toThrow(message);
    expect(read(shop, 'a.ts')).toBe(code);
  });

  test('edit_file reports success only for changes that are in the file if several calls run at once', async () => {
    const shop = await openWorkshop({
      'a.txt': Array.from({ length: 20 }, (_, line) => `<${line}>\n`).join(''),
    });
    const edits = Array.from({ length: 20 }, (_, line) =>
      shop.call('edit_file', { path: 'a.txt', old_string: `<${line}>`, new_string: `[${line}]` }),
    );
    const made = (await Promise.allSettled(edits)).flatMap(({ status }, line) =>
      status === 'fulfilled' ? `[${line}]` : [],
    );
    expect(made).not.toEqual([]);
    expect(read(shop, 'a.txt').match(/\[\d+\]/g)).toEqual(made);
  });

  test('edit_file cuts no character of a long diff in half', async () => {
    const shop = await openWorkshop({ 'a.txt': 'a' });
    for (const odd of ['', 'x']) {
      const old_string = read(shop, 'a.txt');
      const diff = await shop.call('edit_file', {
        path: 'a.txt',
        old_string,
        new_string: `${odd}${'😀'.repeat(50_000)}`,
      });
      expect(diff.isWellFormed()).toBe(true);
      expect(diff).toMatch(/showing 2999[89] of \d+ characters|showing 30000 of/);
    }
  });

  test('edit_file returns at most 30,000 characters of a long diff (rule: tool-limits)', async () => {
    const shop = await openWorkshop({ 'min.js': `${'x'.repeat(100_000)}Z` });
    const result = await shop.call('edit_file', { path: 'min.js', old_string: 'Z', new_string: 'Y' });
    expect(String(result).length).toBeLessThan(31_000);
    expect(result).toMatch(/showing 30000 of \d+ characters; read the file for the rest/);
  });

  test('edit_file counts overlapping occurrences and rejects the edit', async () => {
    const shop = await openWorkshop({ 'a.ts': 'aaa' });
    await expect(shop.call('edit_file', edit('aa', 'b'))).rejects.toThrow('occurs 2 times');
  });

  test('edit_file inserts replacement patterns such as $& literally', async () => {
    const shop = await openWorkshop({ 'a.ts': 'x' });
    await shop.call('edit_file', edit('x', '$& $1 $$'));
    expect(read(shop, 'a.ts')).toBe('$& $1 $$');
  });

  test('edit_file matches and keeps CRLF line ends', async () => {
    const shop = await openWorkshop({ 'a.ts': 'one\r\ntwo\r\nthree\r\n' });
    await shop.call('edit_file', edit('one\ntwo', '1\n2\n2b'));
    expect(read(shop, 'a.ts')).toBe('1\r\n2\r\n2b\r\nthree\r\n');
  });

  test('edit_file rejects an approved edit if the file has changed since the preview', async () => {
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

  test('two consecutive edit_file calls both change the file', async () => {
    const shop = await openWorkshop({ 'a.ts': code });
    await shop.call('edit_file', edit('a = 1', 'a = 7'));
    await shop.call('edit_file', edit('b = 1', 'b = 8'));
    expect(read(shop, 'a.ts')).toBe('const a = 7;\nconst b = 8;\nconst c = 3;\n');
  });

  test('two edit_file calls that were approved before the first one ran both change the file (rule: approval)', async () => {
    const shop = await openWorkshop({ 'a.ts': code });
    const tool = shop.tool('edit_file');
    const [first, second] = [edit('a = 1', 'a = 7'), edit('b = 1', 'b = 8')];
    await tool.preview?.(first, { ...context, callId: 'one' });
    await tool.preview?.(second, { ...context, callId: 'two', earlierCallIds: ['one'] });
    await tool.execute(first, { ...context, callId: 'one' });
    await tool.execute(second, { ...context, callId: 'two' });
    expect(read(shop, 'a.ts')).toBe('const a = 7;\nconst b = 8;\nconst c = 3;\n');
  });
});

describe('several changes of one file in one step (rule: approval)', () => {
  interface Change {
    readonly name: string;
    readonly args: Readonly<Record<string, string>>;
  }
  const write = (content: string, path = 'a.txt'): Change => ({
    name: 'write_file',
    args: { path, content },
  });
  const edit = (old_string: string, new_string: string): Change => ({
    name: 'edit_file',
    args: { path: 'a.txt', old_string, new_string },
  });

  /** Runs these changes in one step; returns the previews, the observations and the final text of the file. */
  async function change(
    changes: readonly [Change, ...Change[]],
    approve: (asked: number, shop: Workshop) => ApprovalDecision = () => ({ type: 'allow' }),
  ) {
    const shop = await openWorkshop({ 'a.txt': 'one\ntwo\n' });
    const [call, ...more] = changes;
    const previews: (string | null)[] = [];
    const { result } = await finish([{ call, more }, done], {
      tools: await createToolPack(shop.folder),
      approve: async ({ preview: shown }) => approve(previews.push(shown), shop),
    });
    const observations = result.history.filter(({ role }) => role === 'tool_observation');
    return { previews, observations: observations.map(({ content }) => content), text: read(shop, 'a.txt') };
  }

  test('two writes of one file in a step both run; the second preview includes the first write', async () => {
    const { previews, observations, text } = await change([write('1\ntwo\n'), write('1\n2\n', './a.txt')]);
    expect(previews[0]).toContain('-one\n+1\n two');
    expect(previews[1]).toMatch(/^On top of an earlier change of this step:\n/);
    expect(previews[1]).toContain(' 1\n-two\n+2');
    expect(observations).toEqual(['Replaced a.txt: 2 lines.', 'Replaced ./a.txt: 2 lines.']);
    expect(text).toBe('1\n2\n');
  });

  test('an edit applies to the text that an earlier call of the same step wrote', async () => {
    const { previews, text } = await change([
      write('new text\n'),
      edit('new', 'newer'),
      edit('newer', 'newest'),
    ]);
    expect(previews[1]).toContain('-new text\n+newer text');
    expect(previews[2]).toContain('-newer text\n+newest text');
    expect(text).toBe('newest text\n');
  });

  test('the preview of a change does not include an earlier change that was refused', async () => {
    const { previews, text } = await change([write('never\n'), edit('one', '1')], (asked) =>
      asked === 1 ? { type: 'deny', reason: '' } : { type: 'allow' },
    );
    expect(previews[1]).toMatch(/^---/);
    expect(previews[1]).toContain('-one\n+1');
    expect(text).toBe('1\ntwo\n');
  });

  test('the preview of a change includes an earlier change as the person edited it', async () => {
    const { previews, text } = await change([write('never\n'), edit('one', '1')], (asked) =>
      asked === 1 ? { type: 'edit', args: write('one, edited\n').args } : { type: 'allow' },
    );
    expect(previews[1]).toContain('-one, edited\n+1, edited');
    expect(text).toBe('1, edited\n');
  });

  test('a write fails if a command of the same step changed the file after an earlier write', async () => {
    const shell = { name: 'run_command', args: { command: 'echo three >> a.txt' } };
    const { observations, text } = await change([write('1\n'), shell, write('2\n')]);
    expect(observations[2]).toContain('was changed in the meantime');
    expect(text).toBe('1\nthree\n');
  });

  test('edits fail if the file changed while the person was asked', async () => {
    const { observations, text } = await change([edit('one', '1'), edit('two', '2')], (asked, shop) => {
      if (asked === 2) shop.write('a.txt', '// new\none\ntwo\n');
      return { type: 'allow' };
    });
    for (const observation of observations) expect(observation).toContain('was changed in the meantime');
    expect(text).toBe('// new\none\ntwo\n');
  });

  test('a write with arguments that the person edited fails if the file changed before the approval', async () => {
    const { observations, text } = await change([write('1\n')], (_, shop) => {
      shop.write('a.txt', '// new\none\ntwo\n');
      return { type: 'edit', args: write('1, edited\n').args };
    });
    expect(observations[0]).toContain('was changed in the meantime');
    expect(text).toBe('// new\none\ntwo\n');
  });

  test('concurrent runs with the same tools and call ids write their own files', async () => {
    const shop = await openWorkshop();
    const tools = await createToolPack(shop.folder);
    const approvals: (() => void)[] = [];
    const run = (path: string) =>
      finish([{ call: { name: 'write_file', args: { path, content: path } } }, done], {
        tools,
        approve: () =>
          new Promise((resolve) => {
            approvals.push(() => resolve({ type: 'allow' }));
            // Approves both calls only after both runs have previewed their `call_1`.
            if (approvals.length === 2) for (const approve of approvals) approve();
          }),
      });
    await Promise.all([run('b.txt'), run('c.txt')]);
    expect([read(shop, 'b.txt'), read(shop, 'c.txt')]).toEqual(['b.txt', 'c.txt']);
  });
});
