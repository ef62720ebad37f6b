import type { Response } from 'express';
import { Interruption, type InterruptionReason, type StepDeadline } from '../../step/interruption.js';

/** Time that a response may still take to be sent after its deadline. */
const LAST_ANSWER_MS = 1_000;

/**
 * The deadline of one request. Its signal is aborted when the time is up, the caller leaves, or the service shuts
 * down. A caller that does not read its response is then disconnected (rule: overload).
 */
export class RequestDeadline implements StepDeadline {
  readonly #response: Response;
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #at = Number.POSITIVE_INFINITY;

  constructor(response: Response) {
    this.#response = response;
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts the timer, or restarts it with another time. */
  start(deadlineMs: number): void {
    clearTimeout(this.#timer);
    this.#at = performance.now() + deadlineMs;
    this.#timer = setTimeout(() => this.interrupt('deadline'), deadlineMs);
  }

  remainingMs(): number {
    return Math.max(0, this.#at - performance.now());
  }

  /** Aborts the work; only the first reason counts. The response must then be read within a second. */
  interrupt(reason: InterruptionReason): void {
    if (this.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#response.destroy(), LAST_ANSWER_MS);
    this.#controller.abort(new Interruption(reason));
  }

  /** Closes the connection after this response, so that the next request goes to another process (rule: shutdown). */
  endConnection(): void {
    if (!this.#response.headersSent) this.#response.setHeader('Connection', 'close');
  }

  /** Stops the timer when the response is closed, whether it was sent completely or the caller left. */
  end(): void {
    if (!this.#response.writableEnded) this.interrupt('caller_left');
    clearTimeout(this.#timer);
  }
}
