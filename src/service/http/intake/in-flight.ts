import type { Response } from 'express';
import { RequestRefused } from '../failure/request-refused.js';
import { StepPatience } from './step-patience.js';

export interface InFlightOptions {
  /** Steps at the same time; above it the answer is `overloaded`, at once. */
  readonly max: number;
  /** How late the event loop runs, in milliseconds, lately. */
  readonly lagMs: () => number;
}

/** A loop this late cannot keep its promises to what it has accepted already. */
const maxLagMs = 250;

/** The steps that were accepted and not yet answered. */
export class InFlight {
  readonly #options: InFlightOptions;
  readonly #accepted = new Set<StepPatience>();
  #whenIdle: (() => void) | undefined;
  #draining = false;

  constructor(options: InFlightOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#accepted.size;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** Accepts a step until its response is closed, or throws `RequestRefused`. */
  accept(response: Response): StepPatience {
    if (this.#draining) throw new RequestRefused('shutting_down');
    if (this.count >= this.#options.max || this.#options.lagMs() > maxLagMs) {
      throw new RequestRefused('overloaded');
    }
    const deadline = new StepPatience();
    this.#accepted.add(deadline);
    response.once('close', () => this.#release(deadline, response.writableEnded));
    return deadline;
  }

  /** Takes nothing more; resolves when all that was accepted is answered. */
  drain(): Promise<void> {
    this.#draining = true;
    return new Promise((resolve) => {
      this.#whenIdle = resolve;
      if (this.count === 0) resolve();
    });
  }

  /** Ends what is left: each gets 503 `shutting_down`. */
  interruptAll(): void {
    for (const deadline of this.#accepted) deadline.interrupt('shutting_down');
  }

  #release(deadline: StepPatience, answered: boolean): void {
    if (!answered) deadline.interrupt('caller_left');
    deadline.end();
    this.#accepted.delete(deadline);
    if (this.count === 0) this.#whenIdle?.();
  }
}
