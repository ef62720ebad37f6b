import { createParser, type EventSourceMessage } from 'eventsource-parser';
import { yieldIfBusy } from '../../../event-loop/yield-if-busy.js';
import { invalidAnswer } from './attempts.js';

/** Maximum length of one event of a stream, in UTF-16 units. */
const MAX_EVENT_LENGTH = 2 * 2 ** 20;

/**
 * Number of bytes to parse before yielding to the event loop: at most about 10 ms, even if the parser reports
 * every line as an error.
 */
const BYTES_AT_ONCE = 4 * 1024;

/** The source of a stream, and the signal that aborts reading it. */
export interface StreamSource {
  readonly provider: string;
  readonly status: number;
  readonly signal: AbortSignal;
}

/**
 * Reads the events of a stream. The last event does not need a blank line. Throws a `FailedAttempt` if an event is
 * too long, and the signal's reason as soon as it is aborted, even if more data has already arrived.
 */
export async function* readEvents(
  chunks: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  { provider, status, signal }: StreamSource,
): AsyncGenerator<EventSourceMessage, undefined> {
  let events: EventSourceMessage[] = [];
  let isTooLong = false;
  const parser = createParser({
    onEvent: (event) => events.push(event),
    onError: ({ type, field, value, line }) => {
      isTooLong ||= type === 'max-buffer-size-exceeded';
      // Gateways that fail after they sent the headers of a stream write their error as JSON without `data:`.
      if (line && /^[{[]/.test(line)) events.push({ event: undefined, id: undefined, data: line });
      // Older llama.cpp servers report errors in a field named `error` instead of an event.
      if (field === 'error' && value) events.push({ event: 'error', id: undefined, data: value });
    },
    maxBufferSize: MAX_EVENT_LENGTH,
  });
  const decoder = new TextDecoder();
  function parse(text: string): EventSourceMessage[] {
    events = [];
    parser.feed(text);
    if (isTooLong) throw invalidAnswer(provider, status);
    return events;
  }
  for await (const chunk of chunks) {
    for (let start = 0; start < chunk.length; start += BYTES_AT_ONCE) {
      await yieldIfBusy(signal);
      yield* parse(decoder.decode(chunk.subarray(start, start + BYTES_AT_ONCE), { stream: true }));
    }
  }
  yield* parse(`${decoder.decode()}\n\n`);
}
