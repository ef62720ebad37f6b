import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Coverage } from '../../../../src/service/context/fitting/coverage.js';

const range = fc
  .tuple(fc.integer({ min: 1, max: 30 }), fc.nat(8))
  .map(([first, more]) => ({ first, last: first + more }));

test('the missing lines of a range are the lines that no covered range contains, in order (rule: no-line-twice)', () => {
  fc.assert(
    fc.property(fc.array(range), range, (covered, requested) => {
      const coverage = new Coverage();
      for (const each of covered) coverage.add('file:a', [each], '');
      const lines = Array.from(
        { length: requested.last - requested.first + 1 },
        (_, index) => requested.first + index,
      );
      const expected = lines.filter(
        (line) => !covered.some(({ first, last }) => first <= line && line <= last),
      );
      const missing = coverage.missing('file:a', requested);
      const found = missing.flatMap(({ first, last }) =>
        Array.from({ length: last - first + 1 }, (_, index) => first + index),
      );
      expect(found).toEqual(expected);
      expect(missing.every(({ first }, at) => first > (missing[at - 1]?.last ?? 0) + 1 || at === 0)).toBe(
        true,
      );
    }),
  );
});

test('the prompt contains a text without line numbers if that text occurs in an included text (rule: no-line-twice)', async () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n'), maxLength: 12 });
  await fc.assert(
    fc.asyncProperty(fc.array(text), text, async (covered, requested) => {
      const coverage = new Coverage();
      for (const each of covered) coverage.add('file:a', [], each);
      const lines = requested.replace(/^\n+|\n+$/g, '');
      expect(await coverage.contains('file:a', requested)).toBe(covered.some((each) => each.includes(lines)));
      expect(await coverage.contains('file:b', requested)).toBe(false);
    }),
    { numRuns: 1_000 },
  );
});

test('copies of a Coverage share one search budget; after it is used up, contains() finds only texts that equal a covered text', async () => {
  const coverage = new Coverage({ characters: 10 });
  coverage.add('file:a', [], 'one two\n');
  const copy = coverage.copy();
  expect(await copy.contains('file:a', 'two')).toBe(true);
  expect(await coverage.contains('file:a', 'two')).toBe(false);
  expect(await coverage.contains('file:a', 'one two')).toBe(true);
});

test('changing a copy of a coverage does not change the original', () => {
  const coverage = new Coverage();
  coverage.add('file:a', [{ first: 1, last: 5 }], '');
  coverage.copy().add('file:a', [{ first: 6, last: 9 }], '');
  expect(coverage.missing('file:a', { first: 1, last: 9 })).toEqual([{ first: 6, last: 9 }]);
});
