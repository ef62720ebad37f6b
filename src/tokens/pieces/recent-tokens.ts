import type { Vocabulary } from '../vocabulary.js';
import { countPiece } from './count-piece.js';

/** Bytes of the longest token that is held here: three words. */
const LONGEST = 12;

/** A slot is the three words of a token, and its length. */
const SLOT = 4;
const SLOTS_BITS = 13;

/** Which bits of its three words belong to a piece, by its length. */
const masks = new Int32Array(4 * (LONGEST + 1));
new Uint8Array(masks.buffer).forEach((_, at, bytes) => {
  bytes[at] = at % 16 < Math.floor(at / 16) ? 0xff : 0;
});

/** Looked up once, as in `vocabulary.ts`. */
const { imul } = Math;

/**
 * Counts pieces, and knows those again that are one token: most of a text are a few thousand words. The tokens met last take
 * 128 KB, which stay in the processor's cache where the vocabulary does not. They are known by all their bytes, so that
 * nothing else is taken for one; what is no token is text of a caller, and is not kept.
 */
export class RecentTokens {
  readonly #vocabulary: Vocabulary;
  readonly #slots = new Int32Array(SLOT << SLOTS_BITS);

  constructor(vocabulary: Vocabulary) {
    this.#vocabulary = vocabulary;
  }

  /** Tokens of the piece `bytes[start, end)`, as `countPiece` counts them; `words` are the same bytes. */
  count(bytes: Uint8Array, words: DataView, start: number, end: number): number {
    const length = end - start;
    if (length > LONGEST || start + LONGEST > bytes.length)
      return countPiece(this.#vocabulary, bytes, start, end);
    // No branch by length, which the processor could not foresee.
    const first = words.getInt32(start, true) & (masks[4 * length] ?? 0);
    const second = words.getInt32(start + 4, true) & (masks[4 * length + 1] ?? 0);
    const third = words.getInt32(start + 8, true) & (masks[4 * length + 2] ?? 0);
    const slots = this.#slots;
    const slot = slotOf(first, second ^ length, third);
    const difference =
      ((slots[slot] ?? 0) ^ first) |
      ((slots[slot + 1] ?? 0) ^ second) |
      ((slots[slot + 2] ?? 0) ^ third) |
      ((slots[slot + 3] ?? 0) ^ length);
    if (difference === 0) return 1;
    const tokens = countPiece(this.#vocabulary, bytes, start, end);
    if (tokens === 1) {
      slots[slot] = first;
      slots[slot + 1] = second;
      slots[slot + 2] = third;
      slots[slot + 3] = length;
    }
    return tokens;
  }
}

function slotOf(first: number, second: number, third: number): number {
  const hash = imul(imul(first, 0x9e3779b1) ^ second, 0x85ebca6b) ^ third;
  return (imul(hash ^ (hash >>> 15), 0xc2b2ae35) >>> (32 - SLOTS_BITS)) * SLOT;
}
