import type { Response } from 'express';
import { RequestRefused } from '../failure/to-failure.js';
import { RequestDeadline } from './request-deadline.js';

export interface InFlightOptions {
  /** Requests at the same time; above it the answer is `overloaded`, at once. */
  readonly max: number;
  /** A loop later than that, in milliseconds, cannot keep its promises to what it has accepted already. */
  readonly maxLagMs: number;
  /** How late the event loop runs, in milliseconds, lately. */
  readonly lagMs: () => number;
}

/** The requests that were accepted and not yet answered (rules: overload, shutdown). */
export class InFlight {
  readonly #options: InFlightOptions;
  /** In no order. No `Set`: see `docs/decisions/cost-of-a-step.md`. */
  readonly #accepted: RequestDeadline[] = [];
  readonly #refused = { in_flight: 0, event_loop: 0 };
  #whenIdle: (() => void) | undefined;
  #draining = false;
  #refusing = false;

  constructor(options: InFlightOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#accepted.length;
  }

  get max(): number {
    return this.#options.max;
  }

  /** Requests that were refused so far, by what there was too much of. */
  get refused(): Readonly<Record<'in_flight' | 'event_loop', number>> {
    return this.#refused;
  }

  /** Whether the service is about to end, and so not ready any more. */
  get draining(): boolean {
    return this.#draining;
  }

  /** Accepts a request until its response is closed, or throws `RequestRefused`. */
  accept(response: Response): RequestDeadline {
    if (this.#refusing) throw new RequestRefused('shutting_down');
    const cause = this.#overload();
    if (cause) {
      this.#refused[cause] += 1;
      throw new RequestRefused('overloaded');
    }
    const deadline = new RequestDeadline(response);
    if (this.#draining) deadline.endConnection(); // since it arrived, maybe: a limit may have been asked first
    deadline.place = this.#accepted.push(deadline) - 1;
    response.once('close', () => this.#release(deadline));
    return deadline;
  }

  /** Is not ready any more, but still takes requests: each connection ends with the next answer that can say so. */
  announceDrain(): void {
    this.#draining = true;
    for (const deadline of this.#accepted) deadline.endConnection();
  }

  /** Takes nothing more. */
  refuse(): void {
    this.announceDrain();
    this.#refusing = true;
  }

  /** Resolves when all that was accepted is answered. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenIdle = resolve;
      if (this.count === 0) resolve();
    });
  }

  /** Ends what is left, and takes nothing more: each gets 503 `shutting_down`, and is cut off if it does not read that. */
  interruptAll(): void {
    this.refuse();
    for (const deadline of [...this.#accepted]) deadline.interrupt('shutting_down');
  }

  #overload(): keyof InFlight['refused'] | undefined {
    if (this.count >= this.#options.max) return 'in_flight';
    return this.#options.lagMs() > this.#options.maxLagMs ? 'event_loop' : undefined;
  }

  #release(deadline: RequestDeadline): void {
    deadline.end();
    this.#remove(deadline);
    if (this.count === 0) this.#whenIdle?.();
  }

  /** The last one takes its place. */
  #remove({ place }: RequestDeadline): void {
    const last = this.#accepted.pop();
    if (!last || place === this.#accepted.length) return;
    this.#accepted[place] = last;
    last.place = place;
  }
}
