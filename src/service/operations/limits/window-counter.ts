/** Sums by key over windows of time, each of which begins with the first that is added to it. */
export interface WindowCounter {
  /** Resolves to the window with this amount. */
  add(key: string, amount: number): Promise<Count>;
  /** Resolves to the window so far, which has a sum of 0 where none has begun. */
  read(key: string): Promise<Count>;
}

/** A window: its sum, and the milliseconds that it still lasts. */
export interface Count {
  readonly sum: number;
  readonly endsInMs: number;
}

interface Window {
  readonly sum: number;
  readonly endsAt: number;
}

export interface MemoryCounterOptions {
  /** Since any moment, in milliseconds. */
  readonly now?: () => number;
  /**
   * Windows that are kept at most; above it those that began first are forgotten. To be forgotten, a caller would need
   * that many other addresses, and whoever has those has as many limits anyway.
   */
  readonly maxKeys?: number;
}

/** Counts in this process alone, in bounded memory and without a timer. */
export class MemoryCounter implements WindowCounter {
  readonly #windowMs: number;
  readonly #now: () => number;
  readonly #maxYoung: number;
  /** Windows that began since the last change of generations, and those of the generation before. */
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

  /** Learns how a window stands elsewhere; resolves to what is known now, which never falls while the window lasts. */
  atLeast(key: string, count: Count): Count {
    const known = this.#find(key);
    return known.sum >= count.sum ? known : this.#keep(key, count);
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

  /** A generation is as long as a window, so all windows of the one before have ended, unless there were too many. */
  #age(now: number): void {
    this.#old = this.#young;
    this.#young = new Map();
    this.#youngUntil = now + this.#windowMs;
  }
}
