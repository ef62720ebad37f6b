import { afterEach, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import {
  ArrivedEvents,
  readEvents,
  type ServerSentEvent,
  untilSilent,
} from '../../../../src/service/providers/upstream/server-sent-events.js';

type Event = Omit<ServerSentEvent, 'lines'>;

/** What the events say; the lines of all of them are the texts that were told. */
async function eventsIn(...pieces: readonly Uint8Array[]): Promise<Event[]> {
  const all: Event[] = [];
  for await (const text of readEvents(pieces)) {
    const events = new ArrivedEvents(text);
    let told = '';
    for (let next = events.next(); next; next = events.next()) {
      all.push({ event: next.event, data: next.data });
      told += next.lines;
    }
    expect(text.startsWith(told)).toBe(true);
  }
  return all;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const line = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, ''));
const anyEvent = fc.record({
  event: line,
  data: fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n')),
});

test('events are the same wherever the bytes are cut, whatever ends the lines', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(anyEvent, { maxLength: 5 }),
      fc.constantFrom('\n', '\r\n', '\r'),
      fc.array(fc.nat(400)),
      async (events, end, cuts) => {
        const written = events.map(({ event, data }) =>
          [`event: ${event}`, ': a comment', ...data.split('\n').map((each) => `data: ${each}`), '', ''].join(
            end,
          ),
        );
        const whole = bytes(written.join(''));
        const places = [0, ...cuts.filter((cut) => cut < whole.length).sort((a, b) => a - b), whole.length];
        const pieces = places.slice(1).map((place, index) => whole.slice(places[index], place));
        expect(await eventsIn(...pieces)).toEqual(events);
      },
    ),
  );
});

test.each([
  ['no space after the colon', 'data:x\n\n', [{ event: '', data: 'x' }]],
  ['a byte order mark', '\uFEFFdata: x\n\n', [{ event: '', data: 'x' }]],
  ['an event without data', 'event: ping\n\ndata: x\n\n', [{ event: '', data: 'x' }]],
  ['an event without its blank line', 'data: x\n\ndata: cut', [{ event: '', data: 'x' }]],
  ['fields of other names', 'id: 7\nretry: 5\nweird\ndata: x\n\n', [{ event: '', data: 'x' }]],
])('%s', async (_, text, events) => {
  expect(await eventsIn(bytes(text))).toEqual(events);
});

test('however much has come, it is read no further once the step was interrupted (rule: one-deadline)', async () => {
  const interruption = new Error('interrupted');
  const leaving = new AbortController();
  const read = async (): Promise<void> => {
    for await (const _ of readEvents([bytes('data: x\n\n'.repeat(100_000))], leaving.signal)) {
      leaving.abort(interruption);
    }
  };
  await expect(read()).rejects.toBe(interruption);
});

afterEach(() => {
  jest.useRealTimers();
});

test('a stream that has said its finish reason ends although pings go on (rule: finish-reason)', async () => {
  jest.useFakeTimers();
  const ping = ': still here\n\nevent: ping\ndata: {}\n\n';
  const pinging = (async function* () {
    yield `data: the end\n\n${ping}`;
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 500));
      yield ping;
    }
  })();
  const texts: string[] = [];
  const reading = (async () => {
    for await (const text of untilSilent(pinging, () => true)) texts.push(text);
  })();
  await jest.advanceTimersByTimeAsync(10_000);
  await reading;
  expect(new Set(texts)).toEqual(new Set([`data: the end\n\n${ping}`, ping]));
});
