import type { Response } from 'express';
import { RequestRefused } from '../failure/to-failure.js';
import { RequestDeadline } from './request-deadline.js';

export interface InFlightOptions {
  /** Maximum number of requests in flight. Further ones are rejected with `overloaded` at once. */
  readonly max: number;
  /** Event loop lag above which requests are rejected, because accepted ones could no longer be served in time. */
  readonly maxLagMs: number;
  /** Returns the event loop lag of the last seconds, in milliseconds. */
  readonly lagMs: () => number;
}

/** The requests that were accepted and not yet answered (rules: overload, shutdown). */
export class InFlight {
  readonly #options: InFlightOptions;
  readonly #accepted = new Set<RequestDeadline>();
  readonly #refused = { in_flight: 0, event_loop: 0 };
  #whenIdle: (() => void) | undefined;
  #isDraining = false;
  #isRefusing = false;

  constructor(options: InFlightOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#accepted.size;
  }

  get max(): number {
    return this.#options.max;
  }

  /** Number of requests rejected with `overloaded`, by cause. */
  get refused(): Readonly<Record<'in_flight' | 'event_loop', number>> {
    return this.#refused;
  }

  /** True once the service is shutting down and so reports not ready. */
  get draining(): boolean {
    return this.#isDraining;
  }

  /** Accepts a request until its response is closed. Throws `RequestRefused` otherwise. */
  accept(response: Response): RequestDeadline {
    if (this.#isRefusing) throw new RequestRefused('shutting_down');
    const cause = this.#overload();
    if (cause) {
      this.#refused[cause] += 1;
      throw new RequestRefused('overloaded');
    }
    const deadline = new RequestDeadline(response);
    // Draining may have begun after this request arrived, while its caller's limits were checked.
    if (this.#isDraining) deadline.endConnection();
    this.#accepted.add(deadline);
    response.once('close', () => this.#release(deadline));
    return deadline;
  }

  /** Reports not ready but still accepts requests. Each connection closes after its next response. */
  announceDrain(): void {
    this.#isDraining = true;
    for (const deadline of this.#accepted) deadline.endConnection();
  }

  /** Rejects new requests with 503 `shutting_down`. */
  refuse(): void {
    this.announceDrain();
    this.#isRefusing = true;
  }

  /** Resolves when all accepted requests are answered. */
  idle(): Promise<void> {
    return new Promise((resolve) => {
      this.#whenIdle = resolve;
      if (this.count === 0) resolve();
    });
  }

  /**
   * Rejects new requests and interrupts those in flight: each gets 503 `shutting_down`, and is disconnected if the
   * caller does not read it.
   */
  interruptAll(): void {
    this.refuse();
    for (const deadline of this.#accepted) deadline.interrupt('shutting_down');
  }

  #overload(): keyof InFlight['refused'] | undefined {
    if (this.count >= this.#options.max) return 'in_flight';
    return this.#options.lagMs() > this.#options.maxLagMs ? 'event_loop' : undefined;
  }

  #release(deadline: RequestDeadline): void {
    deadline.end();
    this.#accepted.delete(deadline);
    if (this.count === 0) this.#whenIdle?.();
  }
}
