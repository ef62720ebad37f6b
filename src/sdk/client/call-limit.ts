import { StepwiseError } from '../base/stepwise-error.js';
import { startTimer } from '../base/timer.js';

/** Ends a call when the caller's signal fires or the time is up, and tells afterwards which of the two it was. */
export class CallLimit {
  readonly #controller = new AbortController();
  readonly #address: string;
  readonly #caller: AbortSignal | undefined;
  readonly #clearTimer: () => void;
  readonly #abort: () => void;
  #timedOut = false;

  constructor({ timeoutMs, address }: { timeoutMs: number; address: string }, caller?: AbortSignal) {
    this.#address = address;
    this.#caller = caller;
    this.#abort = () => this.#controller.abort(caller?.reason);
    this.#clearTimer = startTimer(timeoutMs, () => {
      this.#timedOut = true;
      this.#controller.abort();
    });
    caller?.addEventListener('abort', this.#abort, { once: true });
    if (caller?.aborted) this.#abort();
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** What a failure during the call really was. */
  explain(error: unknown): unknown {
    if (error instanceof StepwiseError) return error;
    if (this.#caller?.aborted) return this.#caller.reason;
    const code = this.#timedOut ? 'service_timeout' : 'service_unreachable';
    return new StepwiseError({ code, message: messages[code](this.#address), retryable: true });
  }

  /** To be called when the answer has been read; leaves no timer and no listener behind. */
  end(): void {
    this.#clearTimer();
    this.#caller?.removeEventListener('abort', this.#abort);
  }
}

const messages = {
  service_timeout: (address: string) => `The service at ${address} did not answer in time.`,
  service_unreachable: (address: string) =>
    `The service at ${address} could not be reached, or the connection broke.`,
} as const;
