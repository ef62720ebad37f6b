import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readEvents } from '../../../../src/service/providers/upstream/read-events.js';
import { failureOf } from '../../../support/providers/requests.js';
import { turnsDuring } from '../../../support/turns-during.js';

const MIB = 2 ** 20;

interface Event {
  readonly event: string | undefined;
  readonly data: string;
}

async function eventsIn(
  chunks: Iterable<Uint8Array>,
  signal = new AbortController().signal,
): Promise<Event[]> {
  const all: Event[] = [];
  for await (const { event, data } of readEvents(chunks, { provider: 'any', status: 200, signal })) {
    all.push({ event, data });
  }
  return all;
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const line = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, ''));
const anyEvent = fc.record({
  event: line.filter((name) => name !== ''),
  data: fc.array(line, { minLength: 1, maxLength: 3 }).map((lines) => lines.join('\n')),
});

test('events do not depend on how the bytes are split or on the kind of line ends', async () => {
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
        const chunks = places.slice(1).map((place, index) => whole.slice(places[index], place));
        expect(await eventsIn(chunks)).toEqual(events);
      },
    ),
  );
});

test.each([
  ['no space after the colon', 'data:x\n\n', ['x']],
  ['a byte order mark', '\uFEFFdata: x\n\n', ['x']],
  ['an event without data', 'event: ping\n\ndata: x\n\n', ['x']],
  ['a last event without its blank line', 'data: x\n\ndata: last', ['x', 'last']],
  ['a last event with one line feed', 'data: x\n\ndata: last\n', ['x', 'last']],
  ['fields of other names', 'id: 7\nretry: soon\nweird\ndata: x\n\n', ['x']],
])('an event stream with %s is read', async (_, text, data) => {
  expect((await eventsIn([bytes(text)])).map((event) => event.data)).toEqual(data);
});

test('an SSE line `error: …`, as llama.cpp sent it, is read as an event with the name error', async () => {
  expect(await eventsIn([bytes('data: x\n\nerror: {"code":500}\n\n')])).toEqual([
    { event: undefined, data: 'x' },
    { event: 'error', data: '{"code":500}' },
  ]);
});

test('an event of 2 MiB is read, and a longer one is rejected', async () => {
  const longest = 'x'.repeat(2 * MIB - 'data: '.length);
  expect(await eventsIn([bytes(`data: ${longest}\n\n`)])).toHaveLength(1);
  // The reader checks the length after each 4 KiB, unless the event ends there. So this event is 8 KiB too long.
  const error = await failureOf(eventsIn([bytes(`data: ${longest}${'x'.repeat(8_192)}\n\n`)]));
  expect(error).toMatchObject({ failure: { failure: 'invalid_response', upstreamStatus: 200 } });
});

test.each([
  ['a line that never ends', 'x'],
  ['an event that never ends', 'data: x\n'],
  ['a comment that never ends', ':'],
])('an event stream with %s is rejected', async (_, text) => {
  const endless = (function* () {
    yield bytes(':');
    for (;;) yield bytes(text.repeat(100_000));
  })();
  expect(await failureOf(eventsIn(endless))).toMatchObject({ failure: { failure: 'invalid_response' } });
});

test.each([
  ['lines of unknown fields', 'a\n'.repeat(32_768)],
  ['bad retry fields', 'retry: x\n'.repeat(7_281)],
])('reading a stream of %s yields to the event loop (rule: loop-share)', async (_, text) => {
  const turns = await turnsDuring(() => eventsIn(Array.from({ length: 8 }, () => bytes(text))));
  expect(turns).toBeGreaterThan(10);
});

test('reading events stops when the signal is aborted, even if more data has arrived (rule: one-deadline)', async () => {
  const interruption = new Error('interrupted');
  const leaving = new AbortController();
  const read = async (): Promise<void> => {
    const source = { provider: 'any', status: 200, signal: leaving.signal };
    for await (const _ of readEvents([bytes('data: x\n\n'.repeat(100_000))], source)) {
      leaving.abort(interruption);
    }
  };
  await expect(read()).rejects.toBe(interruption);
});
