/** A leaky bucket that limits bursts to `size` messages and the long-term rate to `perSecond`. */
export class FloodGauge {
  readonly #size: number;
  readonly #perSecond: number;
  readonly #now: () => number;
  #level = 0;
  #at: number;

  /** `now` returns the time in milliseconds. */
  constructor(size: number, perSecond: number, now: () => number = () => performance.now()) {
    this.#size = size;
    this.#perSecond = perSecond;
    this.#now = now;
    this.#at = now();
  }

  /** Counts one more message; returns true if it exceeds the limit. */
  isFullAfterOne(): boolean {
    const now = this.#now();
    const left = this.#level - ((now - this.#at) / 1_000) * this.#perSecond;
    this.#level = Math.max(0, left) + 1;
    this.#at = now;
    return this.#level > this.#size;
  }
}
