import { StringDecoder } from 'node:string_decoder';
import { eventLoopShare } from '../../../event-loop/event-loop-share.js';
import { FailedAttempt } from './failed-attempt.js';

/** One server-sent event; `data` lines joined by `\n`. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
  /** All of it as it came, its blank line included. */
  readonly lines: string;
}

/**
 * The text of whole server-sent events (WHATWG HTML §9.2.6), of those together that a piece ends, each line of them ended by
 * `\n`. The bytes may be cut anywhere, and each is looked at a bounded number of times. An event without its blank line at the
 * end is not one. Throws the signal's reason once it is aborted, however much has come.
 */
export async function* readEvents(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<string> {
  const reader = new TextReader();
  for await (const piece of bytes) {
    for (let start = 0; start < piece.length; start += AT_ONCE) {
      if (start > 0) await eventLoopShare.spent(READING * AT_ONCE, signal);
      const text = reader.push(piece.subarray(start, start + AT_ONCE));
      if (text !== '') yield text;
    }
  }
}

/** Bytes that are read at once where more have come: a thousand events at most. */
const AT_ONCE = 16 * 1024;
/** What the events in a byte book of the event loop (rule: loop-share). */
const READING = 4;

const BYTE_ORDER_MARK = '\uFEFF';

/** Holds back what follows the last blank line. */
class TextReader {
  // Decodes in a tenth of the time that a `TextDecoder` takes, but knows no byte order mark.
  readonly #decoder = new StringDecoder();
  #begun: string[] = [];
  #afterReturn = false;
  #afterLine = false;
  #atStart = true;

  /** The whole events that have come and were not told yet. */
  push(piece: Uint8Array): string {
    const decoded = this.#decoder.write(piece);
    if (decoded === '') return '';
    const text = withLineFeeds(this.#passes(decoded) ? decoded.slice(1) : decoded);
    const end = this.#endOfEvents(text);
    this.#atStart = false;
    this.#afterReturn = decoded.endsWith('\r');
    if (text !== '') this.#afterLine = text.endsWith('\n');
    this.#begun.push(text.slice(0, end || text.length));
    if (end === 0) return '';
    const events = this.#begun.join('');
    this.#begun = [text.slice(end)];
    return events;
  }

  /** Whether a piece begins with what is no text: a byte order mark, or the rest of `\r\n`. */
  #passes(decoded: string): boolean {
    return this.#atStart
      ? decoded.startsWith(BYTE_ORDER_MARK)
      : this.#afterReturn && decoded.startsWith('\n');
  }

  /** Where the last blank line ends; 0 if there is none. */
  #endOfEvents(text: string): number {
    const blank = text.lastIndexOf('\n\n');
    if (blank >= 0) return blank + 2;
    return this.#afterLine && text.startsWith('\n') ? 1 : 0;
  }
}

const withLineFeeds = (text: string): string =>
  text.includes('\r') ? text.replaceAll(/\r\n?/g, '\n') : text;

/** The events of a text of whole ones, read one after the other. */
export class ArrivedEvents {
  readonly text: string;
  /** Where the next event begins. */
  at = 0;

  constructor(text: string) {
    this.text = text;
  }

  /** The next event that has data; undefined at the end. */
  next(): ServerSentEvent | undefined {
    const start = this.at;
    let event = '';
    let data: string | undefined;
    for (let line = this.#nextLine(); line !== undefined; line = this.#nextLine()) {
      if (line === '' && data !== undefined) return { event, data, lines: this.text.slice(start, this.at) };
      if (line === '') event = '';
      const more = fieldValue('data', line);
      if (more !== undefined) data = data === undefined ? more : `${data}\n${more}`;
      else event = fieldValue('event', line) ?? event;
    }
    return undefined;
  }

  #nextLine(): string | undefined {
    const end = this.text.indexOf('\n', this.at);
    if (end < 0) return undefined;
    const line = this.text.slice(this.at, end);
    this.at = end + 1;
    return line;
  }
}

/** Undefined in a line of another field. */
function fieldValue(field: string, line: string): string | undefined {
  if (!line.startsWith(field)) return undefined;
  const colon = field.length;
  if (line.length === colon) return '';
  if (line[colon] !== ':') return undefined;
  return line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
}

/** How long a stream that has said its finish reason may be silent: some servers neither say the end nor hang up. */
const SILENCE_MS = 2_000;

/**
 * The events up to the end of the stream; once `finished` is true, also up to two seconds in which nothing but pings
 * follows (rule: finish-reason). The stream is left as it is then: breaking it is for the caller to do. A connection that
 * breaks then is an end like any other: the reply is whole, and billed.
 */
export async function* untilSilent(
  stream: AsyncIterable<string>,
  finished: () => boolean,
): AsyncGenerator<string> {
  const reading = stream[Symbol.asyncIterator]();
  let silentAt = 0;
  for (;;) {
    const next = reading.next();
    const read = finished() ? await beforeEnd(next, silentAt - performance.now()) : await next;
    if (!read || read.done) return;
    yield read.value;
    if (finished() && !arePings(read.value)) silentAt = performance.now() + SILENCE_MS;
  }
}

function arePings(text: string): boolean {
  const events = new ArrivedEvents(text);
  let next = events.next();
  while (next?.event === 'ping') next = events.next();
  return next === undefined;
}

/**
 * Undefined if the connection broke, or nothing came in time: what becomes of it after that is of no concern. Throws
 * the reason for which the step itself was interrupted.
 */
async function beforeEnd<Read>(next: Promise<Read>, ms: number): Promise<Read | undefined> {
  try {
    return await within(ms, next);
  } catch (error) {
    if (error instanceof FailedAttempt) return undefined;
    throw error;
  }
}

/** What the promise comes to, or undefined if that takes longer. */
export async function within<Value>(ms: number, promise: Promise<Value>): Promise<Value | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const time = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, ms), undefined);
  });
  try {
    return await Promise.race([promise, time]);
  } finally {
    clearTimeout(timer);
  }
}
