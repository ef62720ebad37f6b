import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { EventReader } from '../../../src/sdk/client/read-events.js';

async function read(chunks: readonly Uint8Array[]): Promise<string[]> {
  const events: string[] = [];
  for await (const data of new EventReader(bodyOf(chunks)).events()) events.push(data);
  return events;
}

function bodyOf(
  chunks: readonly Uint8Array[],
  cancel: () => void = () => undefined,
): ReadableStream<Uint8Array> {
  const left = [...chunks];
  return new ReadableStream({
    pull: (controller) => {
      const chunk = left.shift();
      if (chunk) controller.enqueue(chunk);
      else controller.close();
    },
    cancel,
  });
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('EventReader yields the same events however the bytes are split into chunks (rule: stream-events)', async () => {
  const data = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, ' '));
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
  await fc.assert(
    fc.asyncProperty(fc.array(data), lineEnd, fc.array(fc.nat({ max: 400 })), async (all, end, cuts) => {
      const stream = bytes(all.map((each) => `: note${end}event: x${end}data: ${each}${end}${end}`).join(''));
      const points = [...new Set(cuts.map((cut) => Math.min(cut, stream.length)))].sort((a, b) => a - b);
      const chunks = [0, ...points].map((point, index) =>
        stream.slice(point, points[index] ?? stream.length),
      );
      expect(await read(chunks)).toEqual(all);
    }),
  );
});

test.each([
  ['data:without space\n\n', ['without space']],
  ['data: two\ndata: lines\n\n', ['two\nlines']],
  [': only a comment\n\n', []],
  ['data: never ended', []],
  ['data:\n\n', ['']],
])('EventReader reads the stream %j as the events %j (WHATWG HTML §9.2)', async (stream, events) => {
  expect(await read([bytes(stream)])).toEqual(events);
});

test('EventReader takes CR and LF in separate chunks as one line end', async () => {
  const chunks = ['data: two\r', '\n', 'data: lines\r', '\n', '\r', '\n', 'data: more\r\n\r\n'];
  expect(await read(chunks.map(bytes))).toEqual(['two\nlines', 'more']);
});

test('EventReader cancels the body if the caller leaves the loop', async () => {
  let cancelled = false;
  const body = bodyOf([bytes('data: 1\n\n'), bytes('data: 2\n\n')], () => {
    cancelled = true;
  });
  for await (const _ of new EventReader(body).events()) break;
  expect(cancelled).toBe(true);
});

/** Reads the first event of a body and then its end. */
async function readToEnd(body: ReadableStream<Uint8Array>): Promise<string | undefined> {
  const reader = new EventReader(body);
  for await (const data of reader.events()) {
    await reader.end();
    return data;
  }
  return undefined;
}

test('EventReader does not cancel a body that ends after its last event', async () => {
  let wasCancelled = false;
  const chunks = ['data: last\n\n', ': a comment\n\n', ''].map(bytes);
  const body = bodyOf(chunks, () => {
    wasCancelled = true;
  });
  expect(await readToEnd(body)).toBe('last');
  expect(wasCancelled).toBe(false);
});

test('EventReader cancels a body that stays open after its last event, and returns the event', async () => {
  let wasCancelled = false;
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes('data: last\n\n')),
    cancel: () => {
      wasCancelled = true;
    },
  });
  expect(await readToEnd(body)).toBe('last');
  expect(wasCancelled).toBe(true);
});

test('EventReader returns the last event of a body that breaks after it', async () => {
  const chunks = [bytes('data: last\n\n')];
  const body = new ReadableStream<Uint8Array>({
    pull: (controller) => {
      const chunk = chunks.shift();
      if (chunk) controller.enqueue(chunk);
      else controller.error(new Error('reset'));
    },
  });
  expect(await readToEnd(body)).toBe('last');
});
