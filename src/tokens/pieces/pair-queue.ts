/** Room for positions below a rank in one key; with ranks below 2^18, keys stay exact integers. */
const POSITIONS = 2 ** 32;

/**
 * A binary heap of byte pairs, lowest rank first, leftmost first among equals. A pair is one number, rank and
 * position, so that the heap is a flat array and an entry costs eight bytes.
 */
export class PairQueue {
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

  /** The first pair, taken out. The queue must not be empty. */
  pop(): { rank: number; position: number } {
    const first = this.#keys[0] ?? 0;
    this.#size--;
    this.#sink(this.#keys[this.#size] ?? 0);
    const position = first % POSITIONS;
    return { rank: (first - position) / POSITIONS, position };
  }

  /** Puts a key where the first one was: down along the smaller children to its place. */
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
