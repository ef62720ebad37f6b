import type { Response } from 'express';
import { Interruption, type InterruptionReason, type StepDeadline } from '../../step/interruption.js';

/** Time that an answer may still take to leave after its deadline has passed. */
const LAST_ANSWER_MS = 1_000;

/**
 * The deadline of one request: its signal fires when the time is up, when the caller leaves, or when the service must go. A
 * caller that does not take its answer is cut off soon after it (rule: overload).
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

  /** Starts the clock, or starts it again with another time. */
  start(deadlineMs: number): void {
    clearTimeout(this.#timer);
    this.#at = performance.now() + deadlineMs;
    this.#timer = setTimeout(() => this.interrupt('deadline'), deadlineMs);
  }

  remainingMs(): number {
    return Math.max(0, this.#at - performance.now());
  }

  /** Ends the work; the first reason stays. The answer that follows has a second to be read. */
  interrupt(reason: InterruptionReason): void {
    if (this.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#response.destroy(), LAST_ANSWER_MS);
    this.#controller.abort(new Interruption(reason));
  }

  /** Has the connection end with this answer, so that the next request goes to another process (rule: shutdown). */
  endConnection(): void {
    if (!this.#response.headersSent) this.#response.setHeader('Connection', 'close');
  }

  /** Stops the clock: the response is closed, either taken or left by its caller. */
  end(): void {
    if (!this.#response.writableEnded) this.interrupt('caller_left');
    clearTimeout(this.#timer);
  }
}
