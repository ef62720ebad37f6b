import { get_encoding, Tiktoken } from 'tiktoken';
import type { Encoding } from '../../../src/tokens/encodings.js';

/**
 * OpenAI's own tokenizer, compiled to WebAssembly. Its time is quadratic in the length of a run of characters, so
 * tests give it only short runs.
 */
const references: Record<Encoding, Tiktoken> = {
  o200k_base: get_encoding('o200k_base'),
  cl100k_base: get_encoding('cl100k_base'),
};

export const encodings: readonly Encoding[] = ['o200k_base', 'cl100k_base'];

export function referenceCount(encoding: Encoding, text: string): number {
  return references[encoding].encode_ordinary(text).length;
}

const CODE_POINTS = 0x110000;
const SURROGATES = { first: 0xd800, last: 0xdfff };
const EVERY_BYTE_A_TOKEN = `! 0 ${Array.from({ length: 256 }, (_, byte) => Buffer.of(byte).toString('base64')).join(' ')}`;

/**
 * Returns all characters that a character class matches in the regex engine of the reference tokenizer. Encodes
 * every character with this class as the pattern and one token per byte: a character that does not match gets no
 * token, so it is missing when the tokens are decoded.
 */
export function charactersMatching(pattern: string): string {
  const tokenizer = new Tiktoken(EVERY_BYTE_A_TOKEN, {}, pattern);
  const blocks = Array.from({ length: CODE_POINTS / 0x1000 }, (_, block) =>
    charactersOfBlock(block * 0x1000),
  );
  const matched = blocks.map((block) => Buffer.from(tokenizer.encode_ordinary(block)).toString('utf8'));
  tokenizer.free();
  return matched.join('');
}

function charactersOfBlock(first: number): string {
  const codePoints = Array.from({ length: 0x1000 }, (_, offset) => first + offset);
  return codePoints
    .filter((codePoint) => codePoint < SURROGATES.first || codePoint > SURROGATES.last)
    .map((codePoint) => String.fromCodePoint(codePoint))
    .join('');
}
