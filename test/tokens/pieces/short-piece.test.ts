import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { loadEncoding } from '../../../src/tokens/encodings.js';
import { PieceMerge } from '../../../src/tokens/pieces/piece-merge.js';
import { countShortPiece, MAX_SHORT_PIECE_BYTES } from '../../../src/tokens/pieces/short-piece.js';
import { encodings } from '../../support/tokens/reference-tokenizer.js';

/** Pieces of few different letters, so that merges compete. */
const piece = fc
  .array(fc.constantFrom('a', 'e', 'Q', '\0', 'ß', '_', '  ', 'ing'), { minLength: 1, maxLength: 42 })
  .map((letters) => Buffer.from(letters.join('')));

test.each(
  encodings,
)('a short piece in encoding %s has as many tokens when merged by linear search as when merged with a queue', async (encoding) => {
  const { vocabulary } = await loadEncoding(encoding);
  const merge = new PieceMerge(MAX_SHORT_PIECE_BYTES);
  fc.assert(
    fc.property(piece, (bytes) => {
      const tokens = countShortPiece(vocabulary, bytes, 0, bytes.length);
      expect(tokens).toBe(merge.run(vocabulary, bytes).length);
    }),
    { numRuns: 2_000 },
  );
});

test('a short piece has the same count at every position of a text', async () => {
  const { vocabulary } = await loadEncoding('o200k_base');
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 10 }), (pieces) => {
      const text = Buffer.concat(pieces);
      let start = 0;
      for (const bytes of pieces) {
        const end = start + bytes.length;
        const alone = countShortPiece(vocabulary, bytes, 0, bytes.length);
        expect(countShortPiece(vocabulary, text, start, end)).toBe(alone);
        start = end;
      }
    }),
  );
});
