import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type Encoding, loadEncoding } from '../../../src/tokens/encodings.js';
import { countLongPiece } from '../../../src/tokens/pieces/long-piece.js';
import { PieceMerge } from '../../../src/tokens/pieces/piece-merge.js';
import { Vocabulary } from '../../../src/tokens/vocabulary.js';
import { encodings } from '../../support/tokens/reference-tokenizer.js';

/** Length of a piece that the counter divides into several windows. */
const LENGTH = 20_000;
const unbounded = { limit: Number.POSITIVE_INFINITY };

/** Bytes of few different values, so that merges compete; or a short sequence repeated, with one byte changed. */
const bytes = fc.oneof(
  fc
    .tuple(fc.uint8Array({ minLength: 1, maxLength: 4 }), fc.infiniteStream(fc.nat(3)))
    .map(([alphabet, picks]) => fill(() => alphabet[Number(picks.next().value) % alphabet.length] ?? 0)),
  fc
    .tuple(fc.uint8Array({ minLength: 1, maxLength: 40 }), fc.nat(LENGTH - 1), fc.nat(255))
    .map(([run, flaw, byte]) => fill((at) => (at === flaw ? byte : (run[at % run.length] ?? 0)))),
);

function fill(byteAt: (at: number) => number): Uint8Array {
  return Uint8Array.from({ length: LENGTH }, (_, at) => byteAt(at));
}

function countInOneGo(vocabulary: Vocabulary, piece: Uint8Array): number {
  return new PieceMerge(piece.length).run(vocabulary, piece).length;
}

describe('counting a long piece (rule: counting)', () => {
  test.each(
    encodings,
  )('a long piece in encoding %s has as many tokens when merged window by window as when merged at once', async (name: Encoding) => {
    const { vocabulary } = await loadEncoding(name);
    await fc.assert(
      fc.asyncProperty(bytes, async (piece) => {
        expect(await countLongPiece(vocabulary, piece, unbounded)).toBe(countInOneGo(vocabulary, piece));
      }),
      { numRuns: 60 },
    );
  });

  test('the count of a long piece is exact even if its last bytes decide how all earlier bytes are merged', async () => {
    const symbols = 3_001;
    const vocabulary = new Vocabulary(pairingFromTheRight(symbols));
    const piece = Uint8Array.from(range(symbols).flatMap(symbol));
    // The last two symbols merge first, then the two before them, so that the first symbol remains alone.
    expect(await countLongPiece(vocabulary, piece, unbounded)).toBe((symbols + 1) / 2);
    expect(countInOneGo(vocabulary, piece)).toBe((symbols + 1) / 2);
  });

  test('counting a long piece stops once it has more tokens than the limit', async () => {
    const { vocabulary } = await loadEncoding('o200k_base');
    const piece = new Uint8Array(100_000).fill(0x61);
    const whole = countInOneGo(vocabulary, piece);
    const counted = await countLongPiece(vocabulary, piece, { limit: 100 });
    expect(counted).toBeGreaterThan(100);
    expect(counted).toBeLessThan(whole / 2);
  });
});

const range = (length: number): number[] => Array.from({ length }, (_, index) => index);

/** Returns two bytes; the first of them is never the second of another symbol. */
const symbol = (index: number): [number, number] => [128 + (index >> 7), index & 127];

/** Builds an encoding in which pairs of symbols further right merge first. */
function pairingFromTheRight(symbols: number) {
  const tokens = [
    ...range(256).map((byte) => [byte]),
    ...range(symbols).map(symbol),
    ...range(symbols - 1)
      .reverse()
      .map((index) => [...symbol(index), ...symbol(index + 1)]),
  ];
  let length = 0;
  const starts = Uint32Array.from([0, ...tokens.map((token) => (length += token.length))]);
  return { bytes: Uint8Array.from(tokens.flat()), starts };
}
