import { setTimeout as wait } from 'node:timers/promises';

/** One server-sent event; `data` lines joined by `\n`. */
export interface ServerSentEvent {
  readonly event: string;
  readonly data: string;
}

/**
 * Reads server-sent events (WHATWG HTML §9.2.6) from bytes that are cut anywhere. Each byte is looked at a bounded
 * number of times, whatever the pieces. An event without its blank line at the end is not one.
 */
export async function* readEvents(
  bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
): AsyncGenerator<ServerSentEvent> {
  let event = '';
  let data: string[] = [];
  for await (const line of readLines(bytes)) {
    if (line === '') {
      if (data.length > 0) yield { event, data: data.join('\n') };
      event = '';
      data = [];
      continue;
    }
    const [name, value] = splitField(line);
    if (name === 'event') event = value;
    if (name === 'data') data.push(value);
  }
}

/** Lines ended by `\n`, `\r` or `\r\n`; what follows the last end is dropped. */
async function* readLines(bytes: AsyncIterable<Uint8Array> | Iterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let begun: string[] = [];
  let afterReturn = false;
  for await (const piece of bytes) {
    const decoded = decoder.decode(piece, { stream: true });
    if (decoded === '') continue;
    const text = afterReturn && decoded.startsWith('\n') ? decoded.slice(1) : decoded;
    afterReturn = decoded.endsWith('\r');
    const [first = '', ...others] = text.split(/\r\n|\r|\n/);
    begun.push(first);
    for (const other of others) {
      yield begun.join('');
      begun = [other];
    }
  }
}

function splitField(line: string): readonly [name: string, value: string] {
  const colon = line.indexOf(':');
  if (colon === -1) return [line, ''];
  return [line.slice(0, colon), line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1)];
}

/** How long a stream that has said its finish reason may be silent: some servers neither say the end nor hang up. */
const SILENCE_MS = 2_000;

/**
 * The events up to the end of the stream; once `finished` is true, also up to two seconds in which nothing but pings
 * follows (rule: finish-reason). The stream is left as it is then: breaking it is for the caller to do.
 */
export async function* untilSilent(
  events: AsyncIterable<ServerSentEvent>,
  finished: () => boolean,
): AsyncGenerator<ServerSentEvent> {
  const reading = events[Symbol.asyncIterator]();
  let silentAt = 0;
  for (;;) {
    const next = reading.next();
    const read = finished() ? await beforeSilence(next, silentAt - performance.now()) : await next;
    if (!read || read.done) return;
    yield read.value;
    if (read.value.event !== 'ping') silentAt = performance.now() + SILENCE_MS;
  }
}

/** Undefined if the event did not come in time; what becomes of it after that is of no concern. */
async function beforeSilence<Read>(next: Promise<Read>, ms: number): Promise<Read | undefined> {
  const timer = new AbortController();
  const silence = wait(Math.max(0, ms), undefined, { signal: timer.signal }).catch(() => undefined);
  try {
    return await Promise.race([next, silence]);
  } finally {
    timer.abort();
  }
}
