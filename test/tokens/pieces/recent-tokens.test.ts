import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { loadEncoding } from '../../../src/tokens/encodings.js';
import { countPiece } from '../../../src/tokens/pieces/count-piece.js';
import { RecentTokens } from '../../../src/tokens/pieces/recent-tokens.js';
import { encodings } from '../../support/tokens/reference-tokenizer.js';

/** Few letters, so that pieces begin alike and end alike, and come again. */
const piece = fc
  .array(fc.constantFrom('a', 'Q', '\0', 'ß', '_'), { minLength: 1, maxLength: 14 })
  .map((letters) => Buffer.from(letters.join('')));

test.each(
  encodings,
)('%s: a piece has its own count, met first or again, wherever it stands', async (encoding) => {
  const { vocabulary } = await loadEncoding(encoding);
  const recent = new RecentTokens(vocabulary);
  fc.assert(
    fc.property(fc.array(piece, { minLength: 1, maxLength: 30 }), (pieces) => {
      const bytes = Buffer.concat(pieces);
      const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      let start = 0;
      for (const { length } of pieces) {
        const end = start + length;
        expect(recent.count(bytes, words, start, end)).toBe(countPiece(vocabulary, bytes, start, end));
        start = end;
      }
    }),
    { numRuns: 1_000 },
  );
});
