/** Counts what comes, and runs empty with time: it is full when more has come at once, or steadily, than is allowed. */
export class FloodGauge {
  readonly #size: number;
  readonly #perSecond: number;
  readonly #now: () => number;
  #level = 0;
  #at: number;

  /** `now` in milliseconds. */
  constructor(size: number, perSecond: number, now: () => number = () => performance.now()) {
    this.#size = size;
    this.#perSecond = perSecond;
    this.#now = now;
    this.#at = now();
  }

  /** Takes one more in. */
  isFullAfterOne(): boolean {
    const now = this.#now();
    const left = this.#level - ((now - this.#at) / 1_000) * this.#perSecond;
    this.#level = Math.max(0, left) + 1;
    this.#at = now;
    return this.#level > this.#size;
  }
}
