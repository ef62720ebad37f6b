import type { Response } from 'express';
import { Interruption, type InterruptionReason, type StepDeadline } from '../../step/interruption.js';
import { endConnection } from '../owed-answers.js';
import { RequestSignal } from './request-signal.js';

/** In milliseconds: how long an answer may still take to leave once its deadline has passed. */
const LAST_ANSWER_MS = 1_000;

/**
 * The deadline of one request: it passes at its time, when the caller leaves, or when the service must go. A caller
 * that does not take its answer is cut off soon after it (rule: overload). It holds one timer and no listener on
 * anything that outlives the request.
 */
export class RequestDeadline implements StepDeadline {
  /** Among those that were accepted, for whoever keeps them. */
  place = 0;
  readonly #response: Response;
  readonly #signal = new RequestSignal();
  #timer: NodeJS.Timeout | undefined;
  #at = Number.POSITIVE_INFINITY;

  constructor(response: Response) {
    this.#response = response;
  }

  get signal(): AbortSignal {
    return this.#signal;
  }

  /** Starts the clock. */
  start(deadlineMs: number): void {
    clearTimeout(this.#timer);
    this.#at = performance.now() + deadlineMs;
    this.#timer = setTimeout(() => this.interrupt('deadline'), deadlineMs);
  }

  remainingMs(): number {
    return Math.max(0, this.#at - performance.now());
  }

  /** Ends the work; the first reason stays. What is answered then has a second to be read. */
  interrupt(reason: InterruptionReason): void {
    if (this.signal.aborted) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#response.destroy(), LAST_ANSWER_MS);
    this.#signal.abort(new Interruption(reason));
  }

  /** The connection ends as soon as an answer can say so: one that stayed open would bring each next request here as well. */
  endConnection(): void {
    endConnection(this.#response);
  }

  /** The response is closed: it was taken, or nobody is there to take it. */
  end(): void {
    if (!this.#response.writableEnded) this.interrupt('caller_left');
    clearTimeout(this.#timer);
  }
}
