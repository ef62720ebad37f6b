import { describe, expect, test } from '@jest/globals';
import { SecurityViolation, ToolError } from '../../src/sdk/actions/tool-errors.js';
import { memoryStore, type StoredContent, StoredFolder } from '../../src/tools/portable/index.js';
import { inMemory } from '../support/memory-project.js';

const project = (files: Readonly<Record<string, StoredContent>>) => inMemory(files);

describe('containment of a folder in memory (rule: portable-tools)', () => {
  test.each([
    '..',
    '../x',
    'a/../../x',
    './../x',
    '/',
    '/etc/passwd',
    'a/../..',
  ])('every file tool rejects the path %s, which leads out of a folder in memory', async (path) => {
    const { call } = project({ 'a/b.txt': 'b' });
    for (const [name, args] of [
      ['read_file', { path }],
      ['list_files', { path }],
      ['search_code', { pattern: 'b', path }],
      ['write_file', { path, content: 'x' }],
      ['edit_file', { path, old_string: 'b', new_string: 'a' }],
    ] as const) {
      await expect(call(name, args)).rejects.toThrow(SecurityViolation);
    }
  });

  test.each([
    'missing.txt',
    '.env',
    'sub/.ENV',
    '.git/config',
    'a/b.txt/c',
    'a/../.env',
  ])('read_file gives the same error for missing and forbidden paths in memory: %s', async (path) => {
    const { call } = project({ 'a/b.txt': 'b', '.env': 'KEY=1', 'sub/.ENV': 'KEY=1', '.git/config': 'x' });
    await expect(call('read_file', { path })).rejects.toEqual(
      new ToolError(`There is no readable file or folder at "${path}".`),
    );
  });

  test.each(['a', '', 'a/..'])('read_file in memory reports that %j is a folder', async (path) => {
    const { call } = project({ 'a/b.txt': 'b' });
    await expect(call('read_file', { path })).rejects.toThrow(`"${path}" is a folder, not a file.`);
  });

  test.each([
    ['a\0b', 'NUL'],
    ['a\\b', 'Use "/"'],
  ])('read_file rejects the path %j in memory with a hint', async (path, hint) => {
    await expect(project({}).call('read_file', { path })).rejects.toThrow(hint);
  });

  test('memoryStore skips invalid paths and throws if one file is inside another', () => {
    const store = (paths: string[]) => memoryStore(paths.map((path) => [path, 'x']));
    expect(() => store(['../x', '/etc/x', 'a\0b', '.'])).not.toThrow();
    expect(() => store(['a', 'a/b'])).toThrow(TypeError);
    expect(() => store(['a/b', 'a'])).toThrow(TypeError);
  });
});

describe('lazy files in memory', () => {
  test('listing reads no file contents, and files over 8 MiB are never read (rule: tool-limits)', async () => {
    const read: string[] = [];
    const lazy = (path: string, size = 4) => ({
      size,
      slice: (start: number, end: number) => {
        read.push(`${path} ${start}-${end}`);
        return new Blob(['text']).slice(start, end);
      },
    });
    const { call } = project({ 'a.txt': lazy('a.txt'), 'huge.txt': lazy('huge.txt', 9 * 1024 * 1024) });
    expect(await call('list_files', {})).toBe('a.txt\nhuge.txt\nshowing 2 of 2 files');
    expect(read).toEqual([]);
    expect(await call('read_file', { path: 'a.txt' })).toContain('1: text');
    await expect(call('read_file', { path: 'huge.txt' })).rejects.toThrow('too large to read: 9437184 bytes');
    expect(await call('search_code', { pattern: 'text' })).toBe(
      'a.txt:1: text\nshowing 1 of 1 matches\n(1 file could not be read)',
    );
    expect(read).toEqual(['a.txt 0-8388609', 'a.txt 0-8388609']);
  });

  test('a browser file that can no longer be read is a ToolError, and a search skips it (rule: tool-pack)', async () => {
    const gone = {
      size: 4,
      slice: () => ({ arrayBuffer: () => Promise.reject(new DOMException('gone', 'NotReadableError')) }),
    };
    const { call } = project({ 'a.txt': gone, 'b.txt': 'text' });
    await expect(call('read_file', { path: 'a.txt' })).rejects.toThrow('no readable file');
    expect(await call('search_code', { pattern: 'text' })).toContain('(1 file could not be read)');
  });
});

describe('changes of a stored folder', () => {
  test('StoredFolder.changes lists each changed file once, with its original and its latest text', async () => {
    const reported: number[] = [];
    const files = [['a.txt', 'one\n']] as const;
    const folder: StoredFolder = new StoredFolder(memoryStore(files), {
      onChange: () => reported.push(folder.changes.length),
    });
    const { call } = inMemory({}, folder);
    await call('edit_file', { path: 'a.txt', old_string: 'one', new_string: 'two' });
    await call('write_file', { path: './new/b.txt', content: 'b' });
    await call('edit_file', { path: 'a.txt', old_string: 'two', new_string: 'three' });
    expect(folder.changes).toEqual([
      { path: 'a.txt', before: 'one\n', after: 'three\n' },
      { path: 'new/b.txt', before: undefined, after: 'b' },
    ]);
    expect(await call('read_file', { path: 'new/b.txt' })).toContain('1: b');
    await call('write_file', { path: 'a.txt', content: 'one\n' });
    expect(folder.changes.map(({ path }) => path)).toEqual(['new/b.txt']);
    expect(reported).toEqual([1, 2, 2, 1]);
  });

  test('edit_file in memory rejects an approved edit if the file has changed since the preview (rule: approval)', async () => {
    const { call, preview, folder } = project({ 'a.txt': 'one' });
    const args = { path: 'a.txt', old_string: 'one', new_string: 'two' };
    expect(await preview('edit_file', args)).toContain('-one');
    await folder.write('a.txt', { text: 'one, new', expected: 'one' });
    await expect(call('edit_file', args)).rejects.toThrow('was changed in the meantime');
    await expect(folder.write('a.txt', { text: 'x', expected: undefined })).rejects.toThrow('changed in the');
    expect(await call('read_file', { path: 'a.txt' })).toContain('1: one, new');
  });
});
