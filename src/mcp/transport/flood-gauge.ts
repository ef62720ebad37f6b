/**
 * Limits the messages of a server by a leaky bucket: at most `size` messages at once, and `perSecond` over a
 * longer time.
 */
export class FloodGauge {
  readonly #size: number;
  readonly #perSecond: number;
  readonly #now: () => number;
  #level = 0;
  #at: number;

  /** @param now returns the current time in milliseconds. */
  constructor(size: number, perSecond: number, now: () => number = () => performance.now()) {
    this.#size = size;
    this.#perSecond = perSecond;
    this.#now = now;
    this.#at = now();
  }

  /** Counts one more message. Returns true if the message exceeds the limit. */
  isFullAfterOne(): boolean {
    const now = this.#now();
    const left = this.#level - ((now - this.#at) / 1_000) * this.#perSecond;
    this.#level = Math.max(0, left) + 1;
    this.#at = now;
    return this.#level > this.#size;
  }
}
