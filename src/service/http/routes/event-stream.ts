import type { Response } from 'express';
import type { StreamEvent } from '../../../contract/stream.js';

const HEARTBEAT_MS = 15_000;

/**
 * Server-sent events over one response. Nothing is written before the first event, so that whatever fails
 * until then is an ordinary HTTP error.
 */
export class EventStream {
  readonly #response: Response;
  readonly #requestId: string;
  #heartbeat: NodeJS.Timeout | undefined;

  constructor(response: Response, requestId: string) {
    this.#response = response;
    this.#requestId = requestId;
    response.once('close', () => clearInterval(this.#heartbeat));
  }

  get started(): boolean {
    return this.#response.headersSent;
  }

  /** Resolves when the reader can take more, or is gone: a slow reader slows the step instead of filling memory. */
  async send(event: StreamEvent): Promise<void> {
    if (!this.started) this.#start();
    if (!this.#write(event)) await drained(this.#response);
  }

  end(): void {
    clearInterval(this.#heartbeat);
    this.#response.end();
  }

  #start(): void {
    this.#response
      .status(200)
      .set({ 'Content-Type': 'text/event-stream; charset=utf-8', 'X-Accel-Buffering': 'no' });
    this.#write({ type: 'step.started', request_id: this.#requestId });
    this.#heartbeat = setInterval(() => this.#keepAlive(), HEARTBEAT_MS);
  }

  #write(event: StreamEvent): boolean {
    return this.#response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
  }

  /** Proxies close a connection that is silent for a minute; a comment is no event. */
  #keepAlive(): void {
    if (!this.#response.writableNeedDrain) this.#response.write(': still here\n\n');
  }
}

function drained(response: Response): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
