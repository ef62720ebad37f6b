import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { matchLinesInVm } from '../../src/tools/match-lines-in-vm.js';
import { createFileReaders } from '../../src/tools/portable/file-tools.js';
import { ProjectRoot } from '../../src/tools/project-root.js';
import type { MatchLines } from '../../src/tools/read/find-lines.js';
import { createReadTools } from '../../src/tools/tool-pack.js';
import { openWorkshop } from '../support/workshop.js';

const lines = (count: number, text = 'line') =>
  Array.from({ length: count }, (_, index) => `${text} ${index + 1}\n`).join('');

describe('read_file (rule: tool-pack)', () => {
  test('read_file shows numbered lines under a header with path, range and total', async () => {
    const { call } = await openWorkshop({ 'a.txt': 'one\ntwo\n\nfour' });
    expect(await call('read_file', { path: 'a.txt', start_line: 2, end_line: 9 })).toBe(
      'a.txt (lines 2-4 of 4)\n2: two\n3: \n4: four',
    );
  });

  test('read_file shows at most 500 lines and says how to continue (rule: tool-limits)', async () => {
    const { call } = await openWorkshop({ 'a.txt': lines(1_200) });
    const text = await call('read_file', { path: 'a.txt', start_line: 101 });
    expect(text).toMatch(/^a\.txt \(lines 101-600 of 1200\)\n101: line 101\n/);
    expect(text).toMatch(/600: line 600\nshowing 500 of 1100 lines; go on with start_line=601$/);
  });

  test('createReadTools uses the default for a limit that is undefined (rule: tool-limits)', async () => {
    const given = {
      maxLines: undefined,
      maxFiles: undefined,
      maxMatches: undefined,
      commandTimeoutMs: undefined,
    };
    const { folder } = await openWorkshop({ 'a.txt': lines(501) });
    const tools = await createReadTools(folder, given);
    const read = tools.find(({ name }) => name === 'read_file');
    const context = { signal: new AbortController().signal, callId: 'call_1' };
    expect(await read?.execute({ path: 'a.txt' }, context)).toMatch(/showing 500 of 501 lines; .*$/);
  });

  test('read_file shortens a file that is one very long line', async () => {
    const { call } = await openWorkshop({ 'min.js': 'x'.repeat(1_000_000) });
    expect(await call('read_file', { path: 'min.js' })).toContain('showing 2000 of 1000000 characters');
  });

  test.each(['read_file', 'search_code'])('%s cuts no character of a long line in half', async (name) => {
    const { call } = await openWorkshop({
      'a.txt': 'x'.repeat(name === 'read_file' ? 1_999 : 299) + '😀'.repeat(99),
    });
    const text = await call(name, { path: 'a.txt', pattern: 'x' });
    expect(text.isWellFormed()).toBe(true);
    expect(text).toContain('x …');
  });

  test.each([
    [{ start_line: 9 }, 'has only 2 lines'],
    [{ start_line: 2, end_line: 1 }, 'end_line must not be smaller'],
  ])('read_file explains why the range %j is invalid', async (range, message) => {
    const { call } = await openWorkshop({ 'a.txt': 'one\ntwo\n' });
    await expect(call('read_file', { path: 'a.txt', ...range })).rejects.toThrow(message);
  });

  test.each([
    ['utf-16le', Buffer.from('\uFEFFhällo\r\nwelt\n', 'utf16le')],
    ['utf-16be', Buffer.from('\uFEFFhällo\r\nwelt\n', 'utf16le').swap16()],
  ])('read_file shows the text of a file in %s with a note (rule: tool-pack)', async (_, bytes) => {
    const { call, folder } = await openWorkshop();
    writeFileSync(join(folder, 'a.txt'), bytes);
    expect(await call('read_file', { path: 'a.txt' })).toMatch(
      /^a\.txt \(lines 1-2 of 2\)\n1: hällo\n2: welt\n\(The file is not UTF-8/,
    );
    await expect(call('write_file', { path: 'a.txt', content: 'x' })).rejects.toThrow('is not UTF-8 text');
  });

  test('read_file reports an empty file, and reads from line 1 if start_line is negative', async () => {
    const { call } = await openWorkshop({ 'a.txt': '', 'b.txt': 'x' });
    expect(await call('read_file', { path: 'a.txt' })).toBe('a.txt: the file is empty.');
    expect(await call('read_file', { path: 'b.txt', start_line: -3 })).toContain('1: x');
  });
});

describe('list_files and get_file_tree (rule: tool-pack)', () => {
  const project = {
    'README.md': '',
    'src/a.ts': '',
    'src/deep/b.test.ts': '',
    'src/c.tsx': '',
    'dist/out.js': '',
    'src/local/cache.txt': '',
    '.gitignore': 'dist\n',
    'src/.gitignore': 'local/*\n!local/keep.txt\n',
    'src/local/keep.txt': '',
    'node_modules/x/index.js': '',
    '.env': 'KEY=1',
  };

  test('list_files obeys every .gitignore and omits secrets and dependencies', async () => {
    const { call } = await openWorkshop(project);
    expect((await call('list_files', {})).split('\n')).toEqual([
      '.gitignore',
      'README.md',
      'src/.gitignore',
      'src/a.ts',
      'src/c.tsx',
      'src/deep/b.test.ts',
      'src/local/keep.txt',
      'showing 7 of 7 files',
    ]);
  });

  test.each([
    ['*.ts', ['src/a.ts', 'src/deep/b.test.ts']],
    ['src/*.ts', ['src/a.ts']],
    ['./src/*.ts', ['src/a.ts']],
    ['**/*.test.ts', ['src/deep/b.test.ts']],
    ['*.{ts,tsx}', ['src/a.ts', 'src/c.tsx', 'src/deep/b.test.ts']],
    ['{src,lib}/{a,c}.*', ['src/a.ts', 'src/c.tsx']],
    ['!x', []],
  ])('list_files filters by the pattern %s', async (pattern, expected) => {
    const { call } = await openWorkshop(project);
    const shown = (await call('list_files', { pattern })).split('\n').filter((line) => line.includes('/'));
    expect(shown).toEqual(expected);
  });

  test.each([
    ['src/[id]/*.tsx', ['src/[id]/page.tsx', 'src/d/page.tsx']],
    ['src/[[...slug]]/page.tsx', ['src/[[...slug]]/page.tsx']],
    ['**/{[id],d}/*', ['src/[id]/page.tsx', 'src/d/page.tsx']],
    ['src/\\[id\\]/*', ['src/[id]/page.tsx']],
  ])('list_files matches brackets in the pattern %s literally too', async (pattern, expected) => {
    const names = ['[id]', '[[...slug]]', 'd', 'x'].map((name) => [`src/${name}/page.tsx`, '']);
    const { call } = await openWorkshop(Object.fromEntries(names));
    const shown = (await call('list_files', { pattern })).split('\n').slice(0, -1);
    expect(shown).toEqual(expected);
  });

  test('list_files accepts a pattern relative to its folder or to the project (rule: tool-pack)', async () => {
    const { call } = await openWorkshop({ 'src/sub/a.ts': '', 'src/b.ts': '' });
    const found = 'src/sub/a.ts\nshowing 1 of 1 files';
    expect(await call('list_files', { path: 'src', pattern: 'sub/*.ts' })).toBe(found);
    expect(await call('list_files', { path: 'src', pattern: 'src/sub/*.ts' })).toBe(found);
  });

  test('a folder read as a file and a file listed as a folder are named as what they are (rule: containment)', async () => {
    const { call } = await openWorkshop({ 'src/a.ts': '' });
    await expect(call('read_file', { path: 'src' })).rejects.toThrow('"src" is a folder, not a file.');
    await expect(call('list_files', { path: 'src/a.ts' })).rejects.toThrow(
      '"src/a.ts" is a file, not a folder.',
    );
  });

  test('list_files of a subfolder obeys the .gitignore files of its parents', async () => {
    const { call } = await openWorkshop(project);
    expect(await call('list_files', { path: 'src/local' })).toBe('src/local/keep.txt\nshowing 1 of 1 files');
  });

  test('list_files shows at most 200 files and counts the rest (rule: tool-limits)', async () => {
    const files = Object.fromEntries(Array.from({ length: 250 }, (_, index) => [`f/${index}.txt`, '']));
    const { call } = await openWorkshop(files);
    const text = await call('list_files', {});
    expect(text.split('\n')).toHaveLength(201);
    expect(text).toMatch(/showing 200 of 250 files; give a deeper path or a pattern$/);
  });

  test('list_files does not follow symbolic links', async () => {
    const { folder, outside, call } = await openWorkshop({ 'a.txt': '' });
    symlinkSync(outside, join(folder, 'out'));
    symlinkSync('.', join(folder, 'loop'));
    expect(await call('list_files', {})).toBe('a.txt\nshowing 1 of 1 files');
  });

  test('get_file_tree indents by depth and stops at max_depth', async () => {
    const { call } = await openWorkshop(project);
    expect(await call('get_file_tree', { max_depth: 2 })).toBe(
      [
        '.gitignore',
        'README.md',
        'src/',
        '  .gitignore',
        '  a.ts',
        '  c.tsx',
        '  deep/',
        '  local/',
        'showing 8 of 8 entries',
      ].join('\n'),
    );
  });

  test('list_files rejects with AbortError if the run was stopped', async () => {
    const { call } = await openWorkshop(project);
    await expect(call('list_files', {}, AbortSignal.abort())).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('search_code (rule: tool-pack)', () => {
  test('search_code shows path, line number and text of each match, and the total', async () => {
    const { call } = await openWorkshop({ 'a.ts': 'x\n  const Price = 1;\n', 'b/c.ts': 'price()\r\n' });
    expect(await call('search_code', { pattern: 'price' })).toBe(
      'a.ts:2:   const Price = 1;\nb/c.ts:1: price()\nshowing 2 of 2 matches',
    );
  });

  test.each([
    ['Price', 1],
    ['pr[iI]ce\\(', 1],
    ['price(', 1],
    ['nothing', 0],
  ])('search_code matches the pattern %s in %i lines: smart case, and invalid expressions literally', async (pattern, count) => {
    const { call } = await openWorkshop({ 'a.ts': 'const Price = 1;\nprice()\n' });
    const text = await call('search_code', { pattern });
    expect(text.split('\n').filter((line) => line.startsWith('a.ts:'))).toHaveLength(count);
  });

  test('search_code shows at most 50 matches and counts the rest (rule: tool-limits)', async () => {
    const { call } = await openWorkshop({ 'a.txt': lines(120) });
    expect(await call('search_code', { pattern: 'line' })).toMatch(
      /showing 50 of 120 matches; narrow the pattern or give a path$/,
    );
  });

  test('search_code searches a single file or a single folder', async () => {
    const { call } = await openWorkshop({ 'a.ts': 'x', 'b/c.ts': 'x' });
    expect(await call('search_code', { pattern: 'x', path: 'a.ts' })).toContain('showing 1 of 1');
    expect(await call('search_code', { pattern: 'x', path: 'b' })).toBe(
      'b/c.ts:1: x\nshowing 1 of 1 matches',
    );
  });

  test.each([
    ['(?i)PRICE', 'a.ts:1: const price = list[0];\nshowing 1 of 1 matches'],
    ['\\p{L}rice', 'a.ts:1: const price = list[0];\nshowing 1 of 1 matches'],
    [
      'list[',
      'a.ts:1: const price = list[0];\nshowing 1 of 1 matches\n(The pattern is not a valid regular expression: it was searched for as plain text.)',
    ],
    ['list[0]', 'No matches.\n(The pattern is a regular expression: write \\( to search for a bracket.)'],
  ])('search_code finds, or explains, the pattern %s (rule: search-patterns)', async (pattern, result) => {
    const { call } = await openWorkshop({ 'a.ts': 'const price = list[0];\n' });
    expect(await call('search_code', { pattern })).toBe(result);
  });

  test.each([
    ['\\Aconst', '\\A'],
    ['[[:alpha:]]+', '[:alpha:]'],
    ['\\<price\\>', '\\<'],
    ['const\nprice', 'line by line'],
  ])('search_code rejects the pattern %j instead of finding nothing (rule: search-patterns)', async (pattern, named) => {
    const { call } = await openWorkshop({ 'a.ts': 'const price = list[0];\n' });
    await expect(call('search_code', { pattern })).rejects.toThrow(named);
  });

  test('search_code accepts an escaped backslash before a letter (rule: search-patterns)', async () => {
    const { call } = await openWorkshop({ 'a.ts': 'C:\\Apps\n' });
    expect(await call('search_code', { pattern: 'C:\\\\A' })).toContain('showing 1 of 1 matches');
  });

  test('search_code searches files one by one if a pattern takes too long for several at once', async () => {
    const { folder } = await openWorkshop({ 'a.txt': 'x', 'b.txt': 'y\nx' });
    const matchLines: MatchLines = (expression) => async (texts) => {
      if (texts.length > 1) throw new Error('too slow');
      return matchLinesInVm(expression)(texts);
    };
    const tools = createFileReaders(await ProjectRoot.open(folder), { matchLines });
    const search = tools.find(({ name }) => name === 'search_code');
    const context = { signal: new AbortController().signal, callId: 'call_1' };
    expect(await search?.execute({ pattern: 'x' }, context)).toBe(
      'a.txt:1: x\nb.txt:2: x\nshowing 2 of 2 matches',
    );
  });

  test('search_code gives up on an expression that backtracks forever', async () => {
    const { call } = await openWorkshop({ 'a.txt': `${'a'.repeat(40)}!` });
    await expect(call('search_code', { pattern: '(a+)+$' })).rejects.toThrow('takes too long');
  });
});

describe('find_definition (rule: tool-pack)', () => {
  test.each([
    'export async function total(items) {',
    'const total = (a) => a;',
    'class total {',
    'type total = number;',
    'def total(self):',
    'pub fn total() -> u8 {',
    'func (c *Cart) total() int {',
    'interface total {}',
    '  async total(items: Item[]): Promise<void> {',
    '  total: function () {},',
    '  private static total(a) {',
    'CREATE TABLE total (',
  ])('find_definition finds `%s`', async (definition) => {
    const { call } = await openWorkshop({ 'a.txt': `// total is used here\ntotal(1);\n${definition}\n` });
    expect(await call('find_definition', { symbol: 'total' })).toBe(
      `a.txt:3: ${definition}\nshowing 1 of 1 matches`,
    );
  });

  test('find_definition accepts $ and underscores, and matches whole names only', async () => {
    const { call } = await openWorkshop({ 'a.ts': 'const $x_1 = 1;\nconst total2 = 1;\n' });
    expect(await call('find_definition', { symbol: '$x_1' })).toContain('a.ts:1:');
    expect(await call('find_definition', { symbol: 'total' })).toContain('No definition of "total" found');
  });

  test('find_definition rejects a regular expression as symbol', async () => {
    const { call } = await openWorkshop();
    await expect(call('find_definition', { symbol: '.*' })).rejects.toThrow('single name');
  });
});
