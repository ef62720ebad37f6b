import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { isSafeSeam, joinUnsafeSeams, segmentsOf } from '../../../src/service/tokens/seams.js';
import { encodings, referenceCount } from '../../support/tokens/reference-tokenizer.js';
import { anyText } from '../../support/tokens/texts.js';

const asciiText = fc.string({
  unit: fc.integer({ min: 0, max: 0x7f }).map((code) => String.fromCharCode(code)),
});
const text = fc.oneof(anyText, asciiText);

test.each(encodings)('%s: at a safe seam the counts of the parts add up, by the reference', (encoding) => {
  fc.assert(
    fc.property(text, text, (left, right) => {
      fc.pre(
        left !== '' && right !== '' && isSafeSeam(left.charCodeAt(left.length - 1), right.charCodeAt(0)),
      );
      const parts = referenceCount(encoding, left) + referenceCount(encoding, right);
      expect(parts).toBe(referenceCount(encoding, left + right));
    }),
    { numRuns: 3000 },
  );
});

test('sections that end a line may be counted alone, unless whitespace or a slash follows', () => {
  const after = (next: string): boolean => isSafeSeam(0x0a, next.charCodeAt(0));
  expect(['#', '[', 'x', '`', '<'].map(after)).toEqual([true, true, true, true, true]);
  expect(['/', ' ', '\n', '\t'].map(after)).toEqual([false, false, false, false]);
});

test('segments make the text again, and all but the last have at least the size', () => {
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 50 }), (whole, size) => {
      const segments = [...segmentsOf(whole, size)];
      expect(segments.join('')).toBe(whole);
      expect(segments.slice(0, -1).every((segment) => segment.length >= size)).toBe(true);
    }),
  );
});

test('a text without seams is one segment', () => {
  expect([...segmentsOf('東京'.repeat(100), 10)]).toHaveLength(1);
});

test('joining keeps every character and leaves only safe seams', () => {
  expect(joinUnsafeSeams(['# Title\n', 'text', ' more', '', 'over\n', '/x'])).toEqual([
    '# Title\n',
    'text',
    ' moreover\n/x',
  ]);
});
