import type { Response } from 'express';
import type { StreamEvent } from '../../../contract/stream.js';
import { isShort } from '../../json/json-parts.js';
import { drained, writeJson } from './write-json.js';

const HEARTBEAT_MS = 15_000;
/** Characters that wait for the events after them. */
const MOST_UNWRITTEN = 16 * 1024;

/**
 * Server-sent events over one response. Nothing is written before the first event, so that whatever fails
 * until then is an ordinary HTTP error. Events that are sent in one go are written in one.
 */
export class EventStream {
  readonly #response: Response;
  readonly #requestId: string;
  #heartbeat: NodeJS.Timeout | undefined;
  #unwritten = '';
  /** A long event is being written, part by part. */
  #isInEvent = false;

  constructor(response: Response, { id }: { readonly id: string }) {
    this.#response = response;
    this.#requestId = id;
    response.once('close', () => clearInterval(this.#heartbeat));
  }

  get started(): boolean {
    return this.#heartbeat !== undefined;
  }

  /**
   * Resolves when the reader can take more, or is gone: a slow reader slows the step instead of filling memory. Undefined if
   * it can take more now.
   */
  send(event: StreamEvent): Promise<void> | undefined {
    if (!this.started) this.#start();
    if (!isShort(event)) return this.#sendLong(event);
    this.#add(textOf(event));
    return this.#response.writableNeedDrain ? drained(this.#response) : undefined;
  }

  /** Sends the last event: the one that grows with the request. */
  async end(event: StreamEvent): Promise<void> {
    await this.send(event);
    clearInterval(this.#heartbeat);
    this.#write();
    this.#response.end();
  }

  async #sendLong(event: StreamEvent): Promise<void> {
    this.#isInEvent = true;
    this.#add(`event: ${event.type}\ndata: `);
    this.#write();
    await writeJson(this.#response, event);
    this.#add('\n\n');
    this.#isInEvent = false;
  }

  #start(): void {
    this.#response.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
    this.#response.setHeader('X-Accel-Buffering', 'no');
    this.#heartbeat = setInterval(() => this.#keepAlive(), HEARTBEAT_MS);
    this.#add(textOf({ type: 'step.started', request_id: this.#requestId }));
  }

  #add(text: string): void {
    if (this.#unwritten === '') process.nextTick(() => this.#write());
    this.#unwritten += text;
    if (this.#unwritten.length > MOST_UNWRITTEN) this.#write();
  }

  #write(): void {
    const text = this.#unwritten;
    this.#unwritten = '';
    if (text !== '') this.#response.write(text);
  }

  /** Proxies close a connection that is silent for a minute; a comment is no event. */
  #keepAlive(): void {
    if (!this.#isInEvent && !this.#response.writableNeedDrain) this.#add(': still here\n\n');
  }
}

const textOf = (event: StreamEvent): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
