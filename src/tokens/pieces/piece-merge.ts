import { NO_RANK } from '../rank-table.js';
import type { Vocabulary } from '../vocabulary.js';
import { PairQueue } from './pair-queue.js';

/**
 * Merges the adjacent pair of lowest rank, leftmost first, until no pair is a token: in n log n steps. Parts are told by their
 * lengths; a queue holds the pairs that are tokens, outdated ones too, which are skipped. Its arrays, 21 bytes for a
 * byte, are used again by each run.
 */
export class PieceMerge {
  /** The length of a part, at its first byte and at its last: so its neighbours find it. No token has 256 bytes. */
  readonly #lengths: Uint8Array;
  /** By the first byte of a part: the rank of the pair it begins, or NO_RANK. */
  readonly #ranks: Int32Array;
  readonly #queue: PairQueue;

  /** @param capacity the most bytes that are merged. */
  constructor(capacity: number) {
    this.#lengths = new Uint8Array(capacity);
    this.#ranks = new Int32Array(capacity);
    // A merge takes one pair out and adds at most two, and there are fewer merges than bytes.
    this.#queue = new PairQueue(2 * capacity);
  }

  /** Where the tokens end, counted from the beginning of the bytes. */
  run(vocabulary: Vocabulary, bytes: Uint8Array): Int32Array {
    let parts = bytes.length;
    this.#lengths.fill(1, 0, parts);
    for (let at = 0; at < bytes.length; at++) this.#rankPair(vocabulary, bytes, at);
    while (this.#queue.size > 0) {
      const { rank, position } = this.#queue.pop();
      if (this.#ranks[position] !== rank) continue;
      this.#merge(vocabulary, bytes, position);
      parts--;
    }
    return this.#ends(parts);
  }

  /** Joins the part at `position` with the next one, and ranks the pairs it now begins and ends. */
  #merge(vocabulary: Vocabulary, bytes: Uint8Array, position: number): void {
    const lengths = this.#lengths;
    const absorbed = position + (lengths[position] ?? 0);
    const length = (lengths[position] ?? 0) + (lengths[absorbed] ?? 0);
    lengths[position] = length;
    lengths[position + length - 1] = length;
    this.#ranks[absorbed] = NO_RANK;
    this.#rankPair(vocabulary, bytes, position);
    if (position > 0) this.#rankPair(vocabulary, bytes, position - (lengths[position - 1] ?? 0));
  }

  /** Ranks the pair that the part at `position` begins. */
  #rankPair(vocabulary: Vocabulary, bytes: Uint8Array, position: number): void {
    const next = position + (this.#lengths[position] ?? 0);
    const end = next + (this.#lengths[next] ?? 0);
    const possible = next < bytes.length && end - position <= vocabulary.longestToken;
    const rank = possible ? vocabulary.rankOf(bytes, position, end) : NO_RANK;
    this.#ranks[position] = rank;
    if (rank !== NO_RANK) this.#queue.push(rank, position);
  }

  #ends(parts: number): Int32Array {
    const ends = new Int32Array(parts);
    let end = 0;
    for (let part = 0; part < parts; part++) {
      end += this.#lengths[end] ?? 0;
      ends[part] = end;
    }
    return ends;
  }
}
