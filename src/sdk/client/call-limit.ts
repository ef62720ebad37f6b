import { connectionFailureOf, connectionProblems } from '../../network/connection-problem.js';
import { type Failure, StepwiseError } from '../base/stepwise-error.js';
import { startTimer } from '../base/timer.js';

/**
 * Cancels a call when the caller's signal fires or when the time limit is reached, and explains the failure
 * afterwards.
 */
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

  /** Returns the error to throw for a failed call: the caller's reason, a time-out, or a broken connection. */
  explain(error: unknown): unknown {
    if (error instanceof StepwiseError) return error;
    if (this.#caller?.aborted) return this.#caller.reason;
    if (this.#timedOut) return this.#failure('service_timeout');
    const { problem, isPassing = true } = connectionFailureOf(error) ?? {};
    const details = problem ? [{ code: problem, message: connectionProblems[problem] }] : [];
    return this.#failure('service_unreachable', { details, retryable: isPassing });
  }

  #failure(code: keyof typeof messages, more: Partial<Failure> = {}): StepwiseError {
    return new StepwiseError({ code, message: messages[code](this.#address), retryable: true, ...more });
  }

  /** Removes the timer and the listener. Call it once the answer has been read or the call has failed. */
  end(): void {
    this.#clearTimer();
    this.#caller?.removeEventListener('abort', this.#abort);
  }
}

const messages = {
  service_timeout: (address: string) =>
    `The service at ${address} did not answer within the time limit of the call.`,
  service_unreachable: (address: string) =>
    `The service at ${address} could not be reached, or the connection broke.`,
} as const;
