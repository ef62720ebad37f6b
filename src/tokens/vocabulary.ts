import type { RankTable } from './rank-table.js';

/** Result of `rankOf` for bytes that are not a token. */
export const NO_RANK = -1;

/**
 * A slot contains a rank in its low bits and a tag of the hash in its high bits, so that most failed lookups need
 * not compare the bytes of a token.
 */
const RANK_BITS = 18;
const RANK_MASK = (1 << RANK_BITS) - 1;
const EMPTY = -1;

/**
 * `Math.imul` is stored once: if the global object is a proxy, as under test runners, each access to `Math` costs
 * more than the hash.
 */
const { imul } = Math;

/**
 * The tokens of one encoding, as an open-addressing hash table over their bytes. A lookup takes a range of a byte
 * array and allocates nothing; a `Map` would need a string for each lookup.
 */
export class Vocabulary {
  /** Length of the longest token in bytes. A text of n bytes has at least n / longestToken tokens. */
  readonly longestToken: number;
  readonly #bytes: Uint8Array;
  readonly #starts: Uint32Array;
  readonly #slots: Int32Array;
  readonly #slotMask: number;
  /**
   * Ranks of two-byte tokens, indexed by both bytes. Every merge begins with such pairs, so this table avoids most
   * hashing.
   */
  readonly #pairRanks = new Int32Array(256 * 256).fill(NO_RANK);

  constructor({ bytes, starts }: RankTable) {
    const size = starts.length - 1;
    const slotCount = 2 ** Math.ceil(Math.log2(size * 2));
    this.#bytes = bytes;
    this.#starts = starts;
    this.#slots = new Int32Array(slotCount).fill(EMPTY);
    this.#slotMask = slotCount - 1;
    let longest = 0;
    for (let rank = 0; rank < size; rank++) longest = Math.max(longest, this.#insert(rank));
    this.longestToken = longest;
  }

  /**
   * Returns the rank of the token `bytes[start, end)`, or NO_RANK if these bytes are not a token. Pairs of lower rank
   * are merged first.
   */
  rankOf(bytes: Uint8Array, start: number, end: number): number {
    if (end - start === 2) return this.#pairRanks[pairAt(bytes, start)] ?? NO_RANK;
    const hash = hashOf(bytes, start, end);
    const tag = hash >>> (RANK_BITS + 1);
    for (let slot = hash & this.#slotMask; ; slot = (slot + 1) & this.#slotMask) {
      const entry = this.#slots[slot] ?? EMPTY;
      if (entry === EMPTY) return NO_RANK;
      if (entry >>> RANK_BITS === tag && this.#isToken(entry & RANK_MASK, bytes, start, end)) {
        return entry & RANK_MASK;
      }
    }
  }

  /** Inserts a token into the table. Returns its length in bytes. */
  #insert(rank: number): number {
    const start = this.#starts[rank] ?? 0;
    const end = this.#starts[rank + 1] ?? 0;
    if (end - start === 2) this.#pairRanks[pairAt(this.#bytes, start)] = rank;
    const hash = hashOf(this.#bytes, start, end);
    let slot = hash & this.#slotMask;
    while (this.#slots[slot] !== EMPTY) slot = (slot + 1) & this.#slotMask;
    this.#slots[slot] = ((hash >>> (RANK_BITS + 1)) << RANK_BITS) | rank;
    return end - start;
  }

  #isToken(rank: number, bytes: Uint8Array, start: number, end: number): boolean {
    let own = this.#starts[rank] ?? 0;
    if ((this.#starts[rank + 1] ?? 0) - own !== end - start) return false;
    for (let at = start; at < end; at++) {
      if (this.#bytes[own++] !== bytes[at]) return false;
    }
    return true;
  }
}

function pairAt(bytes: Uint8Array, start: number): number {
  return ((bytes[start] ?? 0) << 8) | (bytes[start + 1] ?? 0);
}

/**
 * Hashes bytes by FNV-1a with a final mixing step, so that both the slot (low bits) and the tag (high bits) are
 * evenly distributed.
 */
function hashOf(bytes: Uint8Array, start: number, end: number): number {
  let hash = 0x811c9dc5;
  for (let at = start; at < end; at++) hash = imul(hash ^ (bytes[at] ?? 0), 0x01000193);
  hash = imul(hash ^ (hash >>> 15), 0x85ebca6b);
  return hash ^ (hash >>> 13);
}
