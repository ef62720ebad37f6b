import { NO_RANK, type Vocabulary } from '../vocabulary.js';

/**
 * Merges the bytes of a piece into tokens: joins the adjacent pair of lowest rank, leftmost first, until no pair of
 * parts is a token, in O(n log n). A queue contains the pairs that are tokens; outdated entries are skipped when they
 * are removed. Each run reuses the same arrays, which take 21 bytes for each byte of the piece.
 */
export class PieceMerge {
  /**
   * Length of each part, stored at its first and its last byte so that the adjacent parts can find it. A length
   * fits into a byte, because no token has 256 bytes.
   */
  readonly #lengths: Uint8Array;
  /** Rank of the pair of a part and the next one, or NO_RANK, by the index of the first part's first byte. */
  readonly #ranks: Int32Array;
  readonly #queue: PairQueue;

  /** @param capacity maximum number of bytes that can be merged. */
  constructor(capacity: number) {
    this.#lengths = new Uint8Array(capacity);
    this.#ranks = new Int32Array(capacity);
    // Each merge removes one pair and adds at most two, and there are fewer merges than bytes, so the queue never
    // exceeds this size.
    this.#queue = new PairQueue(2 * capacity);
  }

  /** Returns the ends of the tokens, counted from the beginning of the bytes. */
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

  /**
   * Joins the part at `position` with the next part. Updates the ranks of the two pairs that contain the new part.
   */
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

  /** Stores the rank of the pair that begins with the part at `position`. */
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

/**
 * Factor for the rank in a queue key (rank × factor + position). Ranks are less than 2^18, so keys stay exact integers.
 */
const POSITIONS = 2 ** 32;

/**
 * A binary heap of pairs: the lowest rank first, and among equal ranks the leftmost. Rank and position of a pair
 * are one number, so that an entry takes eight bytes.
 */
class PairQueue {
  readonly #keys: Float64Array;
  #size = 0;

  constructor(capacity: number) {
    this.#keys = new Float64Array(capacity);
  }

  get size(): number {
    return this.#size;
  }

  push(rank: number, position: number): void {
    const keys = this.#keys;
    const key = rank * POSITIONS + position;
    let at = this.#size++;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = keys[parent] ?? 0;
      if (above <= key) break;
      keys[at] = above;
      at = parent;
    }
    keys[at] = key;
  }

  /** Removes and returns the first pair. The queue must not be empty. */
  pop(): { rank: number; position: number } {
    const first = this.#keys[0] ?? 0;
    this.#size--;
    this.#sink(this.#keys[this.#size] ?? 0);
    const position = first % POSITIONS;
    return { rank: (first - position) / POSITIONS, position };
  }

  /** Writes a key to the root of the heap and moves it down to its place. */
  #sink(key: number): void {
    const keys = this.#keys;
    const size = this.#size;
    let at = 0;
    for (let child = 1; child < size; child = 2 * at + 1) {
      if (child + 1 < size && (keys[child + 1] ?? 0) < (keys[child] ?? 0)) child++;
      const below = keys[child] ?? 0;
      if (below >= key) break;
      keys[at] = below;
      at = child;
    }
    keys[at] = key;
  }
}
