import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { endOfChunk, isSafeSeam, joinUnsafeSeams, segmentsOf } from '../../src/tokens/seams.js';
import { encodings, referenceCount } from '../support/tokens/reference-tokenizer.js';
import { anyText } from '../support/tokens/texts.js';

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

function chunksOf(text: string): string[] {
  const bytes = Buffer.from(text);
  const chunks: string[] = [];
  for (let at = 0; at < bytes.length; at = endOfChunk(bytes, at))
    chunks.push(bytes.subarray(at, endOfChunk(bytes, at)).toString());
  return chunks;
}

test('chunks make the text again, all but the last long enough, and meet at safe seams', () => {
  const parts = fc.array(fc.tuple(text, fc.integer({ min: 1, max: 300 })), { maxLength: 6 });
  const longText = parts.map((some) => some.map(([part, times]) => part.repeat(times)).join(' '));
  fc.assert(
    fc.property(longText, (whole) => {
      const chunks = chunksOf(whole);
      expect(chunks.join('')).toBe(whole.toWellFormed());
      expect(chunks.slice(0, -1).every((chunk) => Buffer.byteLength(chunk) >= 1024)).toBe(true);
      for (const [index, chunk] of chunks.slice(1).entries())
        expect(isSafeSeam((chunks[index] ?? '').slice(-1).charCodeAt(0), chunk.charCodeAt(0))).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test('a text without seams is one chunk', () => {
  expect(chunksOf('東京'.repeat(10_000))).toHaveLength(1);
});

test('a text that was cut at the front, or changed in one place, keeps nearly all of its chunks', () => {
  const files = ['token-counter', 'seams', 'encodings', 'text-memo'];
  const code = files.map((name) => readFileSync(`test/tokens/${name}.test.ts`, 'utf8')).join('');
  const before = new Set(chunksOf(code));
  const isNew = (chunk: string): boolean => !before.has(chunk);
  expect(before.size).toBeGreaterThan(7);
  expect(chunksOf(code.slice(777)).filter(isNew).length).toBeLessThanOrEqual(3);
  const edited = `${code.slice(0, 9_000)}one more word ${code.slice(9_000)}`;
  expect(chunksOf(edited).filter(isNew).length).toBeLessThanOrEqual(3);
});

test('joining keeps every character and leaves only safe seams', () => {
  const pieces = ['# Title\n', 'text', ' more', '', 'over\n', '/x'].map((text) => ({ text }));
  const joined = ['# Title\n', 'text', ' moreover\n/x'].map((text) => ({ text }));
  expect(joinUnsafeSeams(pieces)).toEqual(joined);
});

test('a fence that comes with its digest is joined as one that comes without', () => {
  const pieces = ['# Title\n', '<file>\n</file>\n', '<file>\n</file>\n', '(', '<file>\n</file>\n', '/x'];
  const withDigests = pieces.map((text) =>
    text.startsWith('<') ? { text, digest: 'of a fence' } : { text },
  );
  const withoutDigests = pieces.map((text) => ({ text }));
  const textsOf = (joined: readonly { text: string }[]) => joined.map(({ text }) => text);
  expect(textsOf(joinUnsafeSeams(withDigests))).toEqual(textsOf(joinUnsafeSeams(withoutDigests)));
  expect(joinUnsafeSeams(withDigests).filter((piece) => piece.digest)).toHaveLength(2);
});

test('of a long piece only the end is joined, and taken away again', () => {
  const code = 'let a = 1;\n'.repeat(200);
  const fence = {
    text: `<file>\n${code}</file 12>\n`,
    digest: 'of a fence',
    pieces: ['<file>\n', code, '</file 12>\n'],
  };
  expect(joinUnsafeSeams([fence, { text: ' why so?\n' }])).toEqual([
    { text: '>\n why' },
    { text: '>\n', isTaken: true },
    { text: ' why', isTaken: true },
    fence,
    { text: ' why so?\n' },
  ]);
  expect(joinUnsafeSeams([{ text: '東'.repeat(2_000) }, { text: '京' }])).toEqual([
    { text: `${'東'.repeat(2_000)}京` },
  ]);
});
