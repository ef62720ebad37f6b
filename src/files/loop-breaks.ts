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
    await new Promise<void>(inNextTurn);
    this.#signal.throwIfAborted();
    this.#since = performance.now();
  }
}

// Node has it, browsers have not.
const { setImmediate: immediately } = globalThis as { setImmediate?: (ring: () => void) => unknown };

function inNextTurn(ring: () => void): void {
  if (immediately) immediately(ring);
  else inNextMessage(ring);
}

/** A message, not a timer: those of a hidden page ring once a second, and nested ones wait. */
function inNextMessage(ring: () => void): void {
  const { port1, port2 } = new MessageChannel();
  port1.addEventListener('message', () => {
    port1.close();
    ring();
  });
  port1.start();
  port2.postMessage(undefined);
}
