/** Adds up amounts by key within time windows. A window begins with the first amount that is added to it. */
export interface WindowCounter {
  /** Adds an amount to the key's window. Resolves to the sum of the window, with this amount included. */
  add(key: string, amount: number): Promise<Count>;
  /** Resolves to the sum of the key's current window; 0 if no window has begun. */
  read(key: string): Promise<Count>;
}

/** The sum of a window, and the time until it ends. */
export interface Count {
  readonly sum: number;
  readonly endsInMs: number;
}

interface Window {
  readonly sum: number;
  readonly endsAt: number;
}

interface MemoryCounterOptions {
  /** Returns the time of a monotonic clock in milliseconds. */
  readonly now?: () => number;
  /**
   * Maximum number of windows; above it, the oldest are discarded. A caller who wants its own window discarded would
   * have to call from that many other addresses, and each of those has a limit of its own.
   */
  readonly maxKeys?: number;
}

/** Counts in the memory of this process only, with a bounded number of keys and without a timer. */
export class MemoryCounter implements WindowCounter {
  readonly #windowMs: number;
  readonly #now: () => number;
  readonly #maxYoung: number;
  /** Windows of the current generation; `#old` contains those of the previous generation. */
  #young = new Map<string, Window>();
  #old = new Map<string, Window>();
  #youngUntil: number;

  constructor(windowSeconds: number, options: MemoryCounterOptions = {}) {
    const { now = () => performance.now(), maxKeys = 100_000 } = options;
    this.#windowMs = windowSeconds * 1_000;
    this.#now = now;
    this.#maxYoung = Math.ceil(maxKeys / 2);
    this.#youngUntil = now() + this.#windowMs;
  }

  async add(key: string, amount: number): Promise<Count> {
    const { sum, endsInMs } = this.#find(key);
    return this.#keep(key, { sum: sum + amount, endsInMs: sum > 0 ? endsInMs : this.#windowMs });
  }

  async read(key: string): Promise<Count> {
    return this.#find(key);
  }

  /**
   * Raises the sum of a window to a larger sum that another counter reported. Returns the current count, which
   * never decreases during a window.
   */
  atLeast(key: string, count: Count): Count {
    const current = this.#find(key);
    return current.sum >= count.sum ? current : this.#keep(key, count);
  }

  #find(key: string): Count {
    const found = this.#young.get(key) ?? this.#old.get(key);
    const endsInMs = found ? Math.ceil(found.endsAt - this.#now()) : 0;
    return found && endsInMs > 0 ? { sum: found.sum, endsInMs } : { sum: 0, endsInMs: 0 };
  }

  #keep(key: string, count: Count): Count {
    const now = this.#now();
    if (now >= this.#youngUntil || this.#young.size >= this.#maxYoung) this.#age(now);
    this.#young.set(key, { sum: count.sum, endsAt: now + count.endsInMs });
    return count;
  }

  /**
   * Begins a new generation and discards the one before the last. A generation lasts as long as a window, so the
   * discarded windows have ended. If a generation fills up early, windows that have not ended are discarded too.
   */
  #age(now: number): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngUntil = now + this.#windowMs;
  }
}
