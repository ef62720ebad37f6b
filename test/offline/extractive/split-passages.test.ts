import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { splitPassages } from '../../../src/offline/extractive/ranking/split-passages.js';

const numbered = (text: string): Map<number, string> =>
  new Map(text.split('\n').map((line, index) => [index + 1, line]));
const spans = (path: string, text: string) =>
  splitPassages(path, numbered(text)).map(({ lines, heading }) => [
    lines[0]?.line,
    lines.at(-1)?.line,
    heading,
  ]);

test('a function and its comment are one passage, blank lines included (rule: offline-model)', () => {
  const code = '/** Adds. */\nexport function add(a) {\n  const b = 1;\n\n  return a + b;\n}\n\nconst c = 1;';
  expect(spans('a.ts', code)).toEqual([
    [1, 6, ''],
    [8, 8, ''],
  ]);
});

test('a method is a passage with its class as the heading', () => {
  const code = 'class Cart {\n  lines = [];\n\n  add(line) {\n    this.lines.push(line);\n  }\n}';
  expect(spans('a.js', code)).toEqual([
    [1, 2, 'Cart'],
    [4, 7, 'Cart'],
  ]);
});

test('a section of a document is a passage with its heading', () => {
  expect(spans('a.md', '# One\n\ntext\n\n## Two\n\nmore')).toEqual([
    [1, 3, 'One'],
    [5, 7, 'Two'],
  ]);
});

test('lines that are not adjacent are separate passages, and no line is lost', () => {
  const text = fc.constantFrom('', 'const a = 1;', '  x();', '# Title', '/** Says. */', '}');
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.integer({ min: 1, max: 200 }), text)), (entries) => {
      const texts = new Map(entries);
      const passages = splitPassages('a.ts', texts);
      const kept = passages.flatMap(({ lines }) => lines.map(({ line }) => line));
      expect(kept.filter((line) => texts.get(line) !== '')).toEqual(
        [...texts]
          .filter(([, each]) => each !== '')
          .map(([line]) => line)
          .sort((a, b) => a - b),
      );
      for (const { lines } of passages) {
        expect((lines.at(-1)?.line ?? 0) - (lines[0]?.line ?? 0)).toBe(lines.length - 1);
      }
    }),
  );
});
