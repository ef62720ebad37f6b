import { Interruption, type InterruptionReason, type StepDeadline } from '../../agent/interruption.js';

/**
 * The deadline of one step: it passes at its time, when the caller leaves, or when the service must go. It holds
 * one timer and no listener on anything that outlives the step.
 */
export class StepPatience implements StepDeadline {
  readonly #controller = new AbortController();
  #timer: NodeJS.Timeout | undefined;
  #deadline = Number.POSITIVE_INFINITY;

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Starts the clock. */
  limit(deadlineMs: number): void {
    clearTimeout(this.#timer);
    this.#deadline = performance.now() + deadlineMs;
    this.#timer = setTimeout(() => this.interrupt('deadline'), deadlineMs);
  }

  remainingMs(): number {
    return Math.max(0, this.#deadline - performance.now());
  }

  /** The first reason stays. */
  interrupt(reason: InterruptionReason): void {
    clearTimeout(this.#timer);
    this.#controller.abort(new Interruption(reason));
  }

  /** The step is over. */
  end(): void {
    clearTimeout(this.#timer);
  }
}
