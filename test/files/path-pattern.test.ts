import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { diskTree } from '../../src/files/disk/disk-tree.js';
import { isIgnored, readIgnoreRules } from '../../src/files/ignore-rules.js';
import { anything, fitsSequence } from '../../src/files/name-pattern.js';
import { pathMatcher, readPathPattern } from '../../src/files/path-pattern.js';
import { walkFolder } from '../../src/files/walk-folder.js';
import { program } from '../support/need.js';
import { needs } from '../support/needs.js';
import { temporaryFolder } from '../support/temporary-folder.js';

const signal = new AbortController().signal;
const fits = (line: string, path: string): boolean | undefined =>
  readPathPattern(line)?.fits(path.split('/'));

describe('patterns of gitignore(5) (rule: project-folder)', () => {
  test.each([
    ['*.ts', 'a/b.ts', true],
    ['a/*.ts', 'a/b.ts', true],
    ['a/*.ts', 'x/a/b.ts', false],
    ['/b', 'a/b', false],
    ['**/b', 'b', true],
    ['a/**/b', 'a/b', true],
    ['a/**/b', 'a/x/y/b', true],
    ['a/**', 'a', false],
    ['a/**', 'a/b/c', true],
    ['a**b', 'axxb', true],
    ['?.md', 'a.md', true],
    ['[a-c]x', 'bx', true],
    ['[!a-c]x', 'bx', false],
    ['[]x]', ']', true],
    ['[[:digit:]]', '7', true],
    ['[a', '[a', false],
    ['\\!a', '!a', true],
    ['\\#a', '#a', true],
    ['a\\ ', 'a ', true],
    ['a  ', 'a', true],
    ['a\\*', 'a*', true],
    ['a\\*', 'ab', false],
  ])('the pattern `%s` matches `%s`: %s', (line, path, expected) =>
    expect(fits(line, path) ?? false).toBe(expected));

  test.each(['', '# comment', '/', '\\', 'x'.repeat(513)])('the line `%s` is not a pattern', (line) =>
    expect(readPathPattern(line)).toBeUndefined());
});

test('fitsSequence gives the same result as a simple backtracking matcher for any items and any pattern with wildcards', () => {
  const slow = (items: string, parts: string): boolean => {
    if (parts === '') return items === '';
    if (parts[0] !== '*')
      return items !== '' && items[0] === parts[0] && slow(items.slice(1), parts.slice(1));
    return slow(items, parts.slice(1)) || (items !== '' && slow(items.slice(1), parts));
  };
  const text = (letters: string[]) => fc.array(fc.constantFrom(...letters), { maxLength: 9 });
  fc.assert(
    fc.property(text(['a', 'b']), text(['a', 'b', '*']), (items, parts) => {
      const pattern = parts.map((part) => (part === '*' ? anything : (item: string) => item === part));
      expect(fitsSequence(items, pattern)).toBe(slow(items.join(''), parts.join('')));
    }),
    { numRuns: 2_000 },
  );
});

needs(
  program('git'),
).test('walkFolder lists the files that Git would list, whatever the .gitignore files contain', async () => {
  const part = fc.constantFrom('a', 'b', 'ab', '*', '**', '?', 'a*', '*b', '[ab]', '[!a]', 'a?', 'x', 'x*');
  const line = fc
    .tuple(
      fc.constantFrom('', '', '!', '/'),
      fc.array(part, { minLength: 1, maxLength: 4 }),
      fc.constantFrom('', '', '/', '  '),
    )
    .map(([start, parts, end]) => start + parts.join('/') + end);
  const lines = fc.array(line, { maxLength: 4 }).map((all) => `${all.join('\n')}\n`);
  const folders = fc.array(fc.constantFrom('a', 'b', 'ab', 'aab'), { maxLength: 4 });
  const path = fc
    .tuple(folders, fc.constantFrom('x', 'xa', 'y', 'bx'))
    .map(([above, name]) => [...above, name].join('/'));
  await fc.assert(
    fc.asyncProperty(lines, lines, fc.uniqueArray(path, { maxLength: 8 }), async (top, inner, paths) => {
      const root = temporaryRepository();
      const write = (name: string, text: string) => {
        mkdirSync(dirname(join(root, name)), { recursive: true });
        writeFileSync(join(root, name), text);
      };
      for (const each of paths) write(each, '');
      write('.gitignore', top);
      write('a/.gitignore', inner);
      const { stdout } = spawnSync('git', ['ls-files', '-z', '--others', '--exclude-standard'], {
        cwd: root,
      });
      const walked: string[] = [];
      for await (const entry of walkFolder(diskTree(root), '.', { signal })) {
        if (entry.type === 'file') walked.push(entry.path);
      }
      expect(walked.sort()).toEqual(String(stdout).split('\0').filter(Boolean).sort());
    }),
    { numRuns: 60 },
  );
}, 60_000);

let repositories = 0;
const home = temporaryFolder();
function temporaryRepository(): string {
  const root = join(home, String(repositories++));
  mkdirSync(root);
  spawnSync('git', ['init', '-q'], { cwd: root });
  return root;
}

describe('time of pattern matching (rule: project-folder)', () => {
  test('fitsSequence compares an item with each part of a pattern at most once', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '*'), minLength: 100, maxLength: 300 }), (glob) => {
        let compared = 0;
        const isA = (item: string): boolean => {
          compared += 1;
          return item === 'a';
        };
        const never = () => false;
        const pattern = [...[...glob].map((part) => (part === '*' ? anything : isA)), never];
        expect(fitsSequence('a'.repeat(255), pattern)).toBe(false);
        expect(compared).toBeLessThanOrEqual(255 * pattern.length);
      }),
    );
  });

  test.each([
    `${'**/a/'.repeat(9)}b`,
    `${'**/'.repeat(100)}b`,
    `${'*a'.repeat(250)}b`,
  ])('the pattern `%s`, which takes a backtracking matcher minutes, is quickly found not to match', (pattern) => {
    const deep = Array.from({ length: 200 }, () => 'a');
    expect(readPathPattern(pattern)?.fits(deep)).toBe(false);
    expect(readPathPattern(pattern)?.fits(['a'.repeat(255)])).toBe(false);
  });

  test('a pattern whose braces expand to too many patterns is refused', () => {
    expect(pathMatcher('{a,b}'.repeat(22))).toBeUndefined();
    expect(pathMatcher('x'.repeat(513))).toBeUndefined();
    expect(pathMatcher('{a,b}'.repeat(8))?.('abababab')).toBe(true);
  });

  test('checking hostile ignore rules yields to the event loop and stops with the signal', async () => {
    const rules = readIgnoreRules('.', `${'*a'.repeat(200)}b\n`.repeat(160));
    const controller = new AbortController();
    let turns = 0;
    const timer = setInterval(() => (++turns === 3 ? controller.abort() : undefined), 1);
    const work = (async () => {
      for (;;) await isIgnored('a'.repeat(255), [rules], controller.signal);
    })();
    await expect(work).rejects.toMatchObject({ name: 'AbortError' });
    clearInterval(timer);
    expect(turns).toBeGreaterThanOrEqual(3);
  });
});
