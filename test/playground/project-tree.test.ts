import { describe, expect, test } from '@jest/globals';
import { listProject, MAX_LISTED_FILES } from '../../src/playground/project/list-project.js';
import { findRow, moveInTree, toTree, visibleRows } from '../../src/playground/project/tree-rows.js';
import { inMemory } from '../support/memory-project.js';

const paths = ['b.txt', 'a/x10.ts', 'a/x9.ts', 'a/deep/y.ts', 'README.md', 'z/only.ts'];
const tree = toTree(paths);
const shown = (open: Iterable<string>) => visibleRows(tree, new Set(open));
const names = (open: Iterable<string>) => shown(open).map(({ entry, level }) => `${level} ${entry.name}`);

describe('the rows of the file tree (rule: playground-project)', () => {
  test('the file tree lists folders before files, each in natural order', () => {
    expect(names([])).toEqual(['1 a', '1 z', '1 b.txt', '1 README.md']);
    expect(names(['a'])).toEqual(['1 a', '2 deep', '2 x9.ts', '2 x10.ts', '1 z', '1 b.txt', '1 README.md']);
  });

  test('each row of the file tree has its position among its siblings', () => {
    const places = shown(['a']).map(({ position, siblings }) => `${position}/${siblings}`);
    expect(places).toEqual(['1/4', '1/3', '2/3', '3/3', '2/4', '3/4', '4/4']);
  });

  test.each([
    ['ArrowDown', 0, { to: 1 }],
    ['ArrowDown', 6, { to: 6 }],
    ['ArrowUp', 0, { to: 0 }],
    ['Home', 4, { to: 0 }],
    ['End', 0, { to: 6 }],
    ['ArrowRight', 0, { to: 1 }],
    ['ArrowRight', 1, { open: new Set(['a', 'a/deep']) }],
    ['ArrowRight', 2, {}],
    ['ArrowLeft', 0, { open: new Set() }],
    ['ArrowLeft', 3, { to: 0 }],
    ['ArrowLeft', 4, { to: 4 }],
    ['*', 4, { open: new Set(['a', 'z']) }],
    ['Tab', 0, undefined],
  ])('the key %s on row %i of the file tree behaves as WAI-ARIA specifies', (key, at, expected) => {
    const open = new Set(['a']);
    expect(moveInTree(key, { rows: shown(open), at, open })).toEqual(expected);
  });

  test('typed letters select the next matching row of the file tree, wrapping around at the end', () => {
    const rows = shown(['a']);
    expect(findRow(rows, 0, 'x')).toBe(2);
    expect(findRow(rows, 2, 'x')).toBe(3);
    expect(findRow(rows, 2, 'x1')).toBe(3);
    expect(findRow(rows, 3, 'R')).toBe(6);
    expect(findRow(rows, 6, 'a')).toBe(0);
    expect(findRow(rows, 0, 'q')).toBeUndefined();
  });

  test('the file tree accepts names such as `constructor`', () => {
    const odd = toTree(['__proto__/constructor', 'toString', 'a b/ü\u202e.txt']);
    const rows = visibleRows(odd, new Set(['__proto__', 'a b']));
    expect(rows.map(({ entry }) => entry.path)).toEqual([
      '__proto__',
      '__proto__/constructor',
      'a b',
      'a b/ü\u202e.txt',
      'toString',
    ]);
  });
});

test('the listing of a folder stops at the maximum number of files and reports that (rule: playground-project)', async () => {
  const files = Object.fromEntries(
    Array.from({ length: MAX_LISTED_FILES + 5 }, (_, index) => [`f${index % 100}/${index}.txt`, '']),
  );
  const { folder } = inMemory(files);
  const told = await all(listProject(folder, new AbortController().signal));
  expect(told.at(-1)).toMatchObject({ isDone: 'cut', unreadable: 0 });
  expect(told.at(-1)?.paths).toHaveLength(MAX_LISTED_FILES);
});

test('the listing of a folder obeys its signal and skips the files that tools skip (rule: playground-project)', async () => {
  const { folder } = inMemory({ '.gitignore': 'dist', 'dist/a.js': '', '.env': '', 'src/a.ts': '' });
  const [told] = await all(listProject(folder, new AbortController().signal));
  expect(told).toEqual({ paths: ['.gitignore', 'src/a.ts'], unreadable: 0, isDone: true });
  await expect(all(listProject(folder, AbortSignal.abort()))).rejects.toMatchObject({
    name: 'AbortError',
  });
});

async function all<Item>(told: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = [];
  for await (const item of told) items.push(item);
  return items;
}
