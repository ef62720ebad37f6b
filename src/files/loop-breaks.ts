import { setImmediate as nextTurn } from 'node:timers/promises';

/** Milliseconds that work may hold the event loop before others have their turn. */
const MAX_HOLD_MS = 5;

/** Gives the event loop a turn whenever work has held it for some milliseconds, and ends the work on abort. */
export class LoopBreaks {
  readonly #signal: AbortSignal;
  #since = performance.now();

  constructor(signal: AbortSignal) {
    this.#signal = signal;
  }

  /** True when it is time to `take` a break. */
  get isDue(): boolean {
    return performance.now() - this.#since >= MAX_HOLD_MS;
  }

  /** Resolves in the next turn; rejects with the signal's reason once it has fired. */
  async take(): Promise<void> {
    await nextTurn();
    this.#signal.throwIfAborted();
    this.#since = performance.now();
  }
}
