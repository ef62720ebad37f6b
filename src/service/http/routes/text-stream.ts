import type { Response } from 'express';
import { countAnswer } from './send-answer.js';

const HEARTBEAT_MS = 15_000;
const COMMENT = ': still here\n\n';
/** Maximum length of buffered text before it is written without waiting for further events. */
const MAX_UNWRITTEN_CHARS = 16 * 1024;

/** The parts of a stream that depend on its API format. */
interface StreamTexts {
  /** Returns the text before the first event. It is called when the stream starts. */
  readonly opening: () => string;
  /**
   * Text that keeps the connection open but carries no information; by default a comment, which clients do not see
   * as an event.
   */
  readonly keepAlive?: string | undefined;
}

/**
 * Server-sent events in one response. Nothing is written before the first event, so earlier failures are ordinary
 * HTTP errors. Events of one event loop turn are written together.
 */
export class TextStream {
  readonly #response: Response;
  readonly #texts: StreamTexts;
  #heartbeat: NodeJS.Timeout | undefined;
  #unwritten = '';

  constructor(response: Response, texts: StreamTexts) {
    this.#response = response;
    this.#texts = texts;
    response.once('close', () => clearInterval(this.#heartbeat));
  }

  get started(): boolean {
    return this.#heartbeat !== undefined;
  }

  /** Sends the headers and the opening text. Does nothing if that is done, or if the caller has left. */
  start(): void {
    if (this.started || this.#response.destroyed) return;
    this.#response.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
    this.#response.setHeader('X-Accel-Buffering', 'no');
    this.#heartbeat = setInterval(() => this.#keepAlive(), HEARTBEAT_MS);
    this.#add(this.#texts.opening());
  }

  /**
   * Sends events. Resolves when the reader can receive more or has disconnected, so that a slow reader slows the
   * step instead of filling memory. Returns undefined if it can receive more now.
   */
  send(text: string): Promise<void> | undefined {
    this.start();
    this.#add(text);
    return this.#response.writableNeedDrain ? drained(this.#response) : undefined;
  }

  /**
   * Sends the last events of an answer. Throws `RequestRefused`, and sends nothing, if there is not enough memory for
   * them (rule: overload).
   */
  endAnswer(text: string): void {
    countAnswer(this.#response, Buffer.byteLength(text));
    this.end(text);
  }

  /** Sends the last events. */
  end(text: string): void {
    this.start();
    this.#add(text);
    clearInterval(this.#heartbeat);
    this.#write();
    this.#response.end();
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

  /** Keeps the connection open, because proxies close one that is silent for a minute. */
  #keepAlive(): void {
    if (!this.#response.writableNeedDrain) this.#add(this.#texts.keepAlive ?? COMMENT);
  }
}

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
