import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { endOfChunk, isSafeSeam } from '../../src/tokens/seams.js';
import { encodings, referenceCount } from '../support/tokens/reference-tokenizer.js';
import { anyText } from '../support/tokens/texts.js';

const asciiText = fc.string({
  unit: fc.integer({ min: 0, max: 0x7f }).map((code) => String.fromCharCode(code)),
});
const text = fc.oneof(anyText, asciiText);

/** Whether the bytes on either side of the boundary between two texts make it a safe seam. */
function meetAtSafeSeam(left: string, right: string): boolean {
  const [before, after] = [Buffer.from(left).at(-1), Buffer.from(right).at(0)];
  return before !== undefined && after !== undefined && isSafeSeam(before, after);
}

test.each(
  encodings,
)('in the reference for %s, the counts of two texts that meet at a safe seam add up to the count of the joined text', (encoding) => {
  fc.assert(
    fc.property(text, text, (left, right) => {
      fc.pre(meetAtSafeSeam(left, right));
      const parts = referenceCount(encoding, left) + referenceCount(encoding, right);
      expect(parts).toBe(referenceCount(encoding, left + right));
    }),
    { numRuns: 3000 },
  );
});

test('the position after a line break is a safe seam unless whitespace or a slash follows', () => {
  const after = (next: string): boolean => isSafeSeam(0x0a, next.charCodeAt(0));
  expect(['#', '[', 'x', '`', '<'].map(after)).toEqual([true, true, true, true, true]);
  expect(['/', ' ', '\n', '\t'].map(after)).toEqual([false, false, false, false]);
});

function chunksOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const chunks: string[] = [];
  for (let at = 0; at < bytes.length; at = endOfChunk(bytes, at))
    chunks.push(bytes.subarray(at, endOfChunk(bytes, at)).toString());
  return chunks;
}

test('the chunks of a text join to the whole text, have at least 1024 bytes except the last, and meet at safe seams', () => {
  const parts = fc.array(fc.tuple(text, fc.integer({ min: 1, max: 300 })), { maxLength: 6 });
  const longText = parts.map((some) => some.map(([part, times]) => part.repeat(times)).join(' '));
  fc.assert(
    fc.property(longText, (whole) => {
      const chunks = chunksOf(whole);
      expect(chunks.join('')).toBe(whole.toWellFormed());
      expect(chunks.slice(0, -1).every((chunk) => Buffer.byteLength(chunk) >= 1024)).toBe(true);
      for (const [index, chunk] of chunks.slice(1).entries())
        expect(meetAtSafeSeam(chunks[index] ?? '', chunk)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('a text without a safe seam to cut at is one chunk', () => {
  expect(chunksOf('東京'.repeat(10_000))).toHaveLength(1);
});

test('a text that lost its beginning or was edited in one place keeps nearly all of its chunks', () => {
  const files = ['token-counter', 'seams', 'encodings', 'count-cache'];
  const code = files.map((name) => readFileSync(`test/tokens/${name}.test.ts`, 'utf8')).join('');
  const before = new Set(chunksOf(code));
  const isNew = (chunk: string): boolean => !before.has(chunk);
  expect(before.size).toBeGreaterThan(7);
  expect(chunksOf(code.slice(777)).filter(isNew).length).toBeLessThanOrEqual(3);
  const edited = `${code.slice(0, 9_000)}one more word ${code.slice(9_000)}`;
  expect(chunksOf(edited).filter(isNew).length).toBeLessThanOrEqual(3);
});
