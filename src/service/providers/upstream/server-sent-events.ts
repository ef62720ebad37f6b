import { StringDecoder } from 'node:string_decoder';
import { eventLoopShare } from '../../event-loop/event-loop-share.js';
import { FailedAttempt } from './failed-attempt.js';

/** One server-sent event; `data` lines joined by `\n`. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/**
 * Reads server-sent events (WHATWG HTML §9.2.6) from bytes that are cut anywhere, those of each piece together. Each byte
 * is looked at a bounded number of times, whatever the pieces. An event without its blank line at the end is not one.
 * Throws the signal's reason once it is aborted, however much has come.
 */
export async function* readEvents(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  signal?: AbortSignal,
): AsyncGenerator<readonly ServerSentEvent[]> {
  const reader = new EventReader();
  for await (const piece of bytes) {
    for (let start = 0; start < piece.length; start += AT_ONCE) {
      if (start > 0) await eventLoopShare.spent(READING * AT_ONCE, signal);
      const events = reader.push(piece.subarray(start, start + AT_ONCE));
      if (events.length > 0) yield events;
    }
  }
}

/** Bytes that are read at once where more have come: a thousand events at most. */
const AT_ONCE = 16 * 1024;
/** What the events in a byte book of the event loop (rule: loop-share). */
const READING = 4;

class EventReader {
  readonly #lines = new LineReader();
  #event = '';
  #data: string | undefined;

  /** The events that this piece ends. */
  push(piece: Uint8Array): ServerSentEvent[] {
    const events: ServerSentEvent[] = [];
    for (const line of this.#lines.push(piece)) {
      if (line !== '') this.#takeField(line);
      else this.#endEvent(events);
    }
    return events;
  }

  #endEvent(events: ServerSentEvent[]): void {
    if (this.#data !== undefined) events.push({ event: this.#event, data: this.#data });
    this.#event = '';
    this.#data = undefined;
  }

  #takeField(line: string): void {
    const data = fieldValue('data', line);
    if (data !== undefined) this.#data = this.#data === undefined ? data : `${this.#data}\n${data}`;
    else this.#event = fieldValue('event', line) ?? this.#event;
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

const BYTE_ORDER_MARK = '\uFEFF';

/** Lines ended by `\n`, `\r` or `\r\n`; what follows the last end is never a line. */
class LineReader {
  // Decodes in a tenth of the time that a `TextDecoder` takes, but knows no byte order mark.
  readonly #decoder = new StringDecoder();
  #begun: string[] = [];
  #afterReturn = false;
  #atStart = true;

  /** The lines that this piece ends. */
  push(piece: Uint8Array): string[] {
    const decoded = this.#decoder.write(piece);
    if (decoded === '') return [];
    const text = this.#passes(decoded) ? decoded.slice(1) : decoded;
    this.#atStart = false;
    this.#afterReturn = decoded.endsWith('\r');
    const lines = text.includes('\r') ? text.split(/\r\n|\r|\n/) : text.split('\n');
    this.#begun.push(lines[0] ?? '');
    if (lines.length === 1) return [];
    lines[0] = this.#begun.join('');
    this.#begun = [lines.pop() ?? ''];
    return lines;
  }

  /** Whether a piece begins with what is no text: a byte order mark, or the rest of `\r\n`. */
  #passes(decoded: string): boolean {
    return this.#atStart
      ? decoded.startsWith(BYTE_ORDER_MARK)
      : this.#afterReturn && decoded.startsWith('\n');
  }
}

/** How long a stream that has said its finish reason may be silent: some servers neither say the end nor hang up. */
const SILENCE_MS = 2_000;

/**
 * The events up to the end of the stream; once `finished` is true, also up to two seconds in which nothing but pings
 * follows (rule: finish-reason). The stream is left as it is then: breaking it is for the caller to do. A connection that
 * breaks then is an end like any other: the reply is whole, and billed.
 */
export async function* untilSilent(
  stream: AsyncIterable<readonly ServerSentEvent[]>,
  finished: () => boolean,
): AsyncGenerator<readonly ServerSentEvent[]> {
  const reading = stream[Symbol.asyncIterator]();
  let silentAt = 0;
  for (;;) {
    const next = reading.next();
    const read = finished() ? await beforeEnd(next, silentAt - performance.now()) : await next;
    if (!read || read.done) return;
    yield read.value;
    if (!read.value.every(isPing)) silentAt = performance.now() + SILENCE_MS;
  }
}

const isPing = ({ event }: ServerSentEvent): boolean => event === 'ping';

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
