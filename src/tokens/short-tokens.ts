import { NO_RANK } from './rank-table.js';

/** Bytes of the longest token that is held here. */
export const SHORT_TOKEN = 8;

/** A slot is the first four bytes of a token, its other four, and its length above its rank. */
const SLOT = 3;
const RANK_BITS = 18;
const RANK_MASK = (1 << RANK_BITS) - 1;
const EMPTY = -1;

/** Looked up once, as in `vocabulary.ts`. */
const { imul } = Math;

/**
 * The tokens of at most eight bytes, as nearly all are that ordinary text is made of: a hash table that holds the bytes
 * themselves. To find one touches one line of memory, and not one of the table, of the offsets and of the bytes each: in a
 * process that does other things beside counting, none of these is in the cache.
 */
export class ShortTokens {
  readonly #slots: Int32Array;
  readonly #mask: number;

  /** @param capacity the most tokens it is to hold. */
  constructor(capacity: number) {
    const slots = 2 ** Math.ceil(Math.log2(capacity * 1.5));
    this.#slots = new Int32Array(slots * SLOT).fill(EMPTY);
    this.#mask = slots - 1;
  }

  add(rank: number, bytes: Uint8Array, start: number, end: number): void {
    const [first, second] = [wordAt(bytes, start, end), wordAt(bytes, start + 4, end)];
    let slot = this.#slotOf(first, second, end - start);
    while (this.#slots[slot + 2] !== EMPTY) slot = this.#after(slot);
    this.#slots[slot] = first;
    this.#slots[slot + 1] = second;
    this.#slots[slot + 2] = ((end - start) << RANK_BITS) | rank;
  }

  /** The rank of `bytes[start, end)`, at most eight, or NO_RANK. */
  rankOf(bytes: Uint8Array, start: number, end: number): number {
    const slots = this.#slots;
    const length = end - start;
    const first = wordAt(bytes, start, end);
    const second = length > 4 ? wordAt(bytes, start + 4, end) : 0;
    for (let slot = this.#slotOf(first, second, length); ; slot = this.#after(slot)) {
      const entry = slots[slot + 2] ?? EMPTY;
      if (entry === EMPTY) return NO_RANK;
      if (slots[slot] === first && slots[slot + 1] === second && entry >> RANK_BITS === length)
        return entry & RANK_MASK;
    }
  }

  #slotOf(first: number, second: number, length: number): number {
    let hash = imul(first ^ length, 0x9e3779b1);
    hash = imul(hash ^ (hash >>> 15) ^ second, 0x85ebca6b);
    hash = imul(hash ^ (hash >>> 13), 0xc2b2ae35);
    return ((hash ^ (hash >>> 16)) & this.#mask) * SLOT;
  }

  #after(slot: number): number {
    return slot + SLOT === this.#slots.length ? 0 : slot + SLOT;
  }
}

/** The bytes from `start` on, up to four of them and none from `end` on, as one number. */
function wordAt(bytes: Uint8Array, start: number, end: number): number {
  let word = 0;
  for (let at = Math.min(start + 4, end) - 1; at >= start; at--) word = (word << 8) | (bytes[at] ?? 0);
  return word;
}
