import type { Response } from 'express';
import type { SourceStep } from '../../../contract/source-step.js';
import type { ErrorResponse, Step } from '../../../contract/step.js';
import type { StreamEvent } from '../../../contract/stream.js';

/** A last event, whose body the caller may have requested without extensions (rule: source-fields). */
type LastEvent =
  | StreamEvent
  | { readonly type: 'step.completed'; readonly step: SourceStep | Step }
  | { readonly type: 'error'; readonly error: SourceStep | ErrorResponse };

const HEARTBEAT_MS = 15_000;
/** Maximum length of buffered text before it is written without waiting for further events. */
const MAX_UNWRITTEN_CHARS = 16 * 1024;

/**
 * Server-sent events in one response. Nothing is written before the first event, so earlier failures are ordinary
 * HTTP errors. Events of one event loop turn are written together.
 */
export class EventStream {
  readonly #response: Response;
  readonly #state: { readonly id: string };
  #heartbeat: NodeJS.Timeout | undefined;
  #unwritten = '';

  /** @param state whose id is read when the stream starts, since an id that contains the model key is replaced. */
  constructor(response: Response, state: { readonly id: string }) {
    this.#response = response;
    this.#state = state;
    response.once('close', () => clearInterval(this.#heartbeat));
  }

  get started(): boolean {
    return this.#heartbeat !== undefined;
  }

  /**
   * Sends an event. Resolves when the reader can receive more or has disconnected, so that a slow reader slows the
   * step instead of filling memory. Returns undefined if it can receive more now.
   */
  send(event: StreamEvent): Promise<void> | undefined {
    if (!this.started) this.#start();
    this.#add(textOf(event));
    return this.#response.writableNeedDrain ? drained(this.#response) : undefined;
  }

  /** Sends the last event. `count` is called with its size before; if it throws, nothing is sent. */
  end(event: LastEvent, count?: (bytes: number) => void): void {
    const text = textOf(event);
    count?.(Buffer.byteLength(text));
    if (!this.started) this.#start();
    this.#add(text);
    clearInterval(this.#heartbeat);
    this.#write();
    this.#response.end();
  }

  #start(): void {
    this.#response.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
    this.#response.setHeader('X-Accel-Buffering', 'no');
    this.#heartbeat = setInterval(() => this.#keepAlive(), HEARTBEAT_MS);
    this.#add(textOf({ type: 'step.started', request_id: this.#state.id }));
  }

  #add(text: string): void {
    if (this.#unwritten === '') process.nextTick(() => this.#write());
    this.#unwritten += text;
    if (this.#unwritten.length > MAX_UNWRITTEN_CHARS) this.#write();
  }

  #write(): void {
    const text = this.#unwritten;
    this.#unwritten = '';
    if (text !== '') this.#response.write(text);
  }

  /** Sends a comment, which is not an event, because proxies close a connection that is silent for a minute. */
  #keepAlive(): void {
    if (!this.#response.writableNeedDrain) this.#add(': still here\n\n');
  }
}

const textOf = (event: LastEvent): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

/** Resolves when the reader can receive more or has disconnected. */
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
