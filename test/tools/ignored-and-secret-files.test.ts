import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { isSecretPath } from '../../src/files/secret-paths.js';
import { projectFolderSource } from '../../src/service/context/sources/project-folder.js';
import { openWorkshop } from '../support/workshop.js';

const signal = new AbortController().signal;

/** Runs the work as another user, because root can read everything. */
async function asNobody<Result>(work: () => Promise<Result>): Promise<Result> {
  const isRoot = process.geteuid?.() === 0;
  if (isRoot) process.seteuid?.(65_534);
  try {
    return await work();
  } finally {
    if (isRoot) process.seteuid?.(0);
  }
}

describe('unreadable files and folders (rule: tool-pack)', () => {
  test('the tools skip and count files and folders that they have no permission to read', async () => {
    const { folder, call } = await openWorkshop({
      'a/x.ts': 'const price = 1;',
      'b/closed.ts': 'const price = 2;',
      'locked/y.ts': 'const price = 3;',
      'z.ts': 'const price = 4;',
    });
    for (const open of [dirname(folder), folder]) chmodSync(open, 0o755);
    chmodSync(join(folder, 'locked'), 0);
    chmodSync(join(folder, 'b/closed.ts'), 0);
    const [list, tree, found, defined, folderItem] = await asNobody(async () => [
      await call('list_files', {}),
      await call('get_file_tree', {}),
      await call('search_code', { pattern: 'price' }),
      await call('find_definition', { symbol: 'price' }),
      await projectFolderSource(folder).read('.', signal),
    ]);
    expect(list).toBe('z.ts\na/x.ts\nb/closed.ts\nshowing 3 of 3 files\n(1 folder could not be read)');
    expect(tree).toMatch(/locked\/\nshowing 6 of 6 entries\n\(1 folder could not be read\)$/);
    for (const text of [found, defined]) {
      expect(text).toBe(
        [
          'z.ts:1: const price = 4;',
          'a/x.ts:1: const price = 1;',
          'showing 2 of 2 matches',
          '(1 folder could not be read)',
          '(1 file could not be read)',
        ].join('\n'),
      );
    }
    expect(folderItem).toMatchObject({ listing: ['a/x.ts', 'b/closed.ts', 'z.ts'], cut: true });
    chmodSync(join(folder, 'locked'), 0o755);
  });

  test('list_files rejects the path of an unreadable folder', async () => {
    const { folder, call } = await openWorkshop();
    mkdirSync(join(folder, 'locked'));
    for (const open of [dirname(folder), folder]) chmodSync(open, 0o755);
    chmodSync(join(folder, 'locked'), 0);
    await asNobody(() =>
      expect(call('list_files', { path: 'locked' })).rejects.toThrow('no readable file or folder'),
    );
    chmodSync(join(folder, 'locked'), 0o755);
  });
});

describe('tools and service refuse the same files (rule: secret-files)', () => {
  test.each([
    '.git-credentials',
    '.envrc',
    'prod.env',
    '.kube/config',
    '.docker/config.json',
    '.config/gcloud/application_default_credentials.json',
    '.cargo/credentials.toml',
    'id_ed25519_work',
    '.aws/credentials',
    'sub/.vault-token',
    'release.keystore',
  ])('tools and service refuse to read the secret file %s, and tools to write it', async (path) => {
    const { folder, call } = await openWorkshop({ [path]: 'secret', 'open.txt': 'secret' });
    expect(isSecretPath(path)).toBe(true);
    expect(await projectFolderSource(folder).read(path, signal)).toBeUndefined();
    await expect(call('read_file', { path })).rejects.toThrow('no readable file or folder');
    await expect(call('edit_file', { path, old_string: 's', new_string: 't' })).rejects.toThrow(
      'no readable',
    );
    await expect(call('write_file', { path, content: 's' })).rejects.toThrow('no readable');
    expect(await call('search_code', { pattern: 'secret' })).toBe(
      'open.txt:1: secret\nshowing 1 of 1 matches',
    );
    expect(await call('list_files', {})).not.toContain(path);
  });

  test('tools and service both omit ignored files, dependencies and saved runs from listings', async () => {
    const { folder, call } = await openWorkshop({
      '.gitignore': 'dist/\n*.log\n!keep.log\nREADME.MD\n',
      'dist/a.txt': 'x',
      'a.log': 'x',
      'keep.log': 'x',
      'README.md': 'x',
      'node_modules/a/index.js': 'x',
      '.stepwise/runs/1.json': 'x',
      '.stepwise/pinned/rules.md': 'x',
    });
    const shown = ['.gitignore', '.stepwise/pinned/rules.md', 'README.md', 'keep.log'];
    const read = await projectFolderSource(folder).read('.', signal);
    expect(read).toMatchObject({ type: 'folder', listing: shown });
    const listed = (await call('list_files', {})).split('\n').slice(0, -1);
    expect(listed.sort()).toEqual(shown);
    const found = await call('search_code', { pattern: 'x', path: '.stepwise/runs' });
    expect(found).toBe('No matches.');
    expect(await call('search_code', { pattern: 'x', path: '.stepwise/runs/1.json' })).toBe('No matches.');
    expect(await call('search_code', { pattern: 'x', path: 'dist/a.txt' })).toContain('dist/a.txt:1: x');
  });
});

describe('files that are not UTF-8 (rule: tool-pack)', () => {
  const latin1 = Buffer.from('name = "Z\u00fcrich"\nsize = 3\n', 'latin1');

  test('a file that is not UTF-8 can be read and searched but not edited or replaced', async () => {
    const { folder, call, tool } = await openWorkshop({ 'a.txt': latin1 });
    const context = { signal, callId: 'c', earlierCallIds: [] };
    expect(await call('read_file', { path: 'a.txt' })).toMatch(
      /1: name = "Z\uFFFDrich"\n2: size = 3\n\(The file is not UTF-8.*cannot be edited/,
    );
    expect(await call('search_code', { pattern: 'size' })).toContain('a.txt:2: size = 3');
    const edit = { path: 'a.txt', old_string: 'size = 3', new_string: 'size = 4' };
    const whole = { path: 'a.txt', content: 'size = 4\n' };
    await expect(tool('edit_file').preview?.(edit, context)).rejects.toThrow('is not UTF-8 text');
    await expect(call('edit_file', edit)).rejects.toThrow('is not UTF-8 text');
    await expect(call('write_file', whole)).rejects.toThrow('is not UTF-8 text');
    expect(readFileSync(join(folder, 'a.txt')).equals(latin1)).toBe(true);
  });

  test('edit_file keeps a byte order mark', async () => {
    const { folder, call } = await openWorkshop({ 'a.txt': '\uFEFFsize = 3\n' });
    expect(await call('read_file', { path: 'a.txt' })).toContain('1: size = 3');
    await call('edit_file', { path: 'a.txt', old_string: '3', new_string: '4' });
    expect(readFileSync(join(folder, 'a.txt'), 'utf8')).toBe('\uFEFFsize = 4\n');
  });
});

test('list_files rejects a pattern with millions of alternatives, and matches many `**` in a pattern and in .gitignore', async () => {
  const { call } = await openWorkshop({
    '.gitignore': `${'**/a/'.repeat(9)}b\n`,
    [`${'a/'.repeat(60)}x.txt`]: 'x',
  });
  await expect(call('list_files', { pattern: '{a,b}'.repeat(22) })).rejects.toThrow('has too many choices');
  expect(await call('list_files', { pattern: `${'**/a/'.repeat(9)}x.txt` })).toContain('showing 1 of 1');
});

test('list_files yields to the event loop and stops when the run does', async () => {
  const name = (index: number) => `${'a'.repeat(240)}${index}`;
  const files = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [name(index), '']));
  const { call } = await openWorkshop(files);
  const controller = new AbortController();
  const pattern = `${'{a,*}'.repeat(8)}${'*a'.repeat(200)}b`;
  let turns = 0;
  const timer = setInterval(() => (++turns === 3 ? controller.abort() : undefined), 1);
  await expect(call('list_files', { pattern }, controller.signal)).rejects.toMatchObject({
    name: 'AbortError',
  });
  clearInterval(timer);
});

test('edit_file stops counting occurrences at 100', async () => {
  const { call } = await openWorkshop({ 'a.txt': 'a'.repeat(1_000_000) });
  const edit = { path: 'a.txt', old_string: 'a'.repeat(1_000), new_string: 'b' };
  await expect(call('edit_file', edit)).rejects.toThrow('occurs at least 100 times');
});
