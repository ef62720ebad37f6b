import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { readEvents } from '../../../src/sdk/client/read-events.js';

async function read(pieces: readonly Uint8Array[]): Promise<string[]> {
  const events: string[] = [];
  for await (const data of readEvents(bodyOf(pieces))) events.push(data);
  return events;
}

function bodyOf(
  pieces: readonly Uint8Array[],
  cancel: () => void = () => undefined,
): ReadableStream<Uint8Array> {
  const left = [...pieces];
  return new ReadableStream({
    pull: (controller) => {
      const piece = left.shift();
      if (piece) controller.enqueue(piece);
      else controller.close();
    },
    cancel,
  });
}

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test('the events are the same however the bytes are cut (rule: stream-events)', async () => {
  const data = fc.string({ unit: 'grapheme' }).map((text) => text.replace(/[\r\n]/g, ' '));
  const lineEnd = fc.constantFrom('\n', '\r\n', '\r');
  await fc.assert(
    fc.asyncProperty(fc.array(data), lineEnd, fc.array(fc.nat({ max: 400 })), async (all, end, cuts) => {
      const stream = bytes(all.map((each) => `: note${end}event: x${end}data: ${each}${end}${end}`).join(''));
      const points = [...new Set(cuts.map((cut) => Math.min(cut, stream.length)))].sort((a, b) => a - b);
      const pieces = [0, ...points].map((point, index) =>
        stream.slice(point, points[index] ?? stream.length),
      );
      expect(await read(pieces)).toEqual(all);
    }),
  );
});

test.each([
  ['data:without space\n\n', ['without space']],
  ['data: two\ndata: lines\n\n', ['two\nlines']],
  [': only a comment\n\n', []],
  ['data: never ended', []],
  ['data:\n\n', ['']],
])('%j carries %j (WHATWG HTML §9.2)', async (stream, events) => {
  expect(await read([bytes(stream)])).toEqual(events);
});

test('leaving the loop cancels the body', async () => {
  let cancelled = false;
  const body = bodyOf([bytes('data: 1\n\n'), bytes('data: 2\n\n')], () => {
    cancelled = true;
  });
  for await (const _ of readEvents(body)) break;
  expect(cancelled).toBe(true);
});
