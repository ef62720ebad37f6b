import { createRequire } from 'node:module';
import { expect, test } from '@jest/globals';
import { loadEncoding } from '../../src/tokens/encodings.js';
import { readRankTable } from '../../src/tokens/rank-table.js';
import { encodings } from '../support/tokens/reference-tokenizer.js';

const load = createRequire(import.meta.url);

/** The patterns that split-pieces.ts implements; if js-tiktoken changes one, that file must change too. */
const patterns = {
  o200k_base: String.raw`[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
  cl100k_base: String.raw`(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`,
};

test.each(encodings)('the ranks and the pattern of %s equal the reference’s', (encoding) => {
  const reference: { pat_str: string; bpe_ranks: string } = load(`tiktoken/encoders/${encoding}.json`);
  const ours: { bpe_ranks: string } = load(`js-tiktoken/ranks/${encoding}`);
  expect(reference.pat_str).toBe(patterns[encoding]);
  expect(ours.bpe_ranks === reference.bpe_ranks).toBe(true);
});

test.each(
  encodings,
)("every token of %s has the reference's rank, and other bytes have none", async (encoding) => {
  const { vocabulary } = await loadEncoding(encoding);
  const data: { bpe_ranks: string } = load(`js-tiktoken/ranks/${encoding}`);
  const tokens = data.bpe_ranks.split(' ').slice(2);
  const misread = tokens.filter((token, rank) => {
    const bytes = Buffer.from(token, 'base64');
    return vocabulary.rankOf(bytes, 0, bytes.length) !== rank;
  });
  expect(misread).toEqual([]);
  const absent = Buffer.from('\xff\xfe not a token', 'latin1');
  expect(vocabulary.rankOf(absent, 0, absent.length)).toBe(-1);
  expect(vocabulary.longestToken).toBe(128);
});

test('concurrent calls of loadEncoding share one load', async () => {
  const [first, second] = await Promise.all([loadEncoding('o200k_base'), loadEncoding('o200k_base')]);
  expect(first).toBe(second);
});

test('readRankTable throws if the data is no valid rank table', () => {
  expect(() => readRankTable('! 5 IQ== Ig==')).toThrow('unknown format');
  expect(() => readRankTable('! 0 IQ==\n! 9 Ig==')).toThrow('unknown format');
});
