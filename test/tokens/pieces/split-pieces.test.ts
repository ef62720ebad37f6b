import { createRequire } from 'node:module';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Encoding } from '../../../src/tokens/encodings.js';
import { classifyCharacters } from '../../../src/tokens/pieces/character-kinds.js';
import {
  type EndOfPiece,
  endOfCl100kPiece,
  endOfO200kPiece,
} from '../../../src/tokens/pieces/split-pieces.js';
import { encodings } from '../../support/tokens/reference-tokenizer.js';
import { anyText, plainText } from '../../support/tokens/texts.js';

const load = createRequire(import.meta.url);
const splitters: Record<Encoding, EndOfPiece> = {
  o200k_base: endOfO200kPiece,
  cl100k_base: endOfCl100kPiece,
};

function piecesOf(encoding: Encoding, text: string): string[] {
  const characters = classifyCharacters(new TextEncoder().encode(text));
  const pieces: string[] = [];
  for (let start = 0; start < characters.bytes.length; ) {
    const end = splitters[encoding](characters, start);
    pieces.push(Buffer.from(characters.bytes.subarray(start, end)).toString());
    start = end;
  }
  return pieces;
}

describe.each(encodings)('splitting a text into the pieces of encoding %s', (encoding) => {
  const { pat_str: pattern }: { pat_str: string } = load(`js-tiktoken/ranks/${encoding}`);

  test(`a text is split into the matches of the published ${encoding} pattern`, () => {
    fc.assert(
      fc.property(plainText, (text) => {
        const matches = [...text.matchAll(new RegExp(pattern, 'gu'))].map(([match]) => match);
        expect(piecesOf(encoding, text)).toEqual(matches);
      }),
      { numRuns: 3000 },
    );
  });

  test(`the ${encoding} pieces of a text join to the whole text, with lone surrogates replaced`, () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(piecesOf(encoding, text).join('')).toBe(Buffer.from(text).toString());
      }),
    );
  });
});

test('a contraction with an apostrophe is recognised in either case and with a long s (ſ), as in the reference', () => {
  expect(piecesOf('o200k_base', "it'ſa it'Sa it'LLa")).toEqual(["it'ſ", 'a', " it'S", 'a', " it'LL", 'a']);
  expect(piecesOf('cl100k_base', "it'ſa it'Sa")).toEqual(['it', "'ſ", 'a', ' it', "'S", 'a']);
});

test('U+0085 is whitespace and U+FEFF is not, as in the reference', () => {
  for (const encoding of encodings) {
    expect(piecesOf(encoding, 'a\u0085\u0085b')).toEqual(['a', '\u0085', '\u0085b']);
    expect(piecesOf(encoding, '!\ufeff!')).toEqual(['!\ufeff!']);
  }
});
