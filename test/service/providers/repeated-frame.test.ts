import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { RepeatedFrame } from '../../../src/service/providers/repeated-frame.js';
import { parseJson } from '../../../src/service/providers/upstream/read-upstream-body.js';

interface Chunk {
  readonly delta: string;
  /** All else that the chunk holds. */
  readonly rest: string;
}

/** Reads a chunk in full; undefined for what is no chunk. */
function read(data: string): Chunk | undefined {
  const json = parseJson(data);
  if (typeof json !== 'object' || json === null || !('text' in json)) return undefined;
  const { text, ...rest } = json;
  return typeof text === 'string' ? { delta: text, rest: JSON.stringify(rest) } : undefined;
}

/** What each of the chunks says, and of which of them that was known by the frame. */
function readAll(all: readonly string[]): { chunks: (Chunk | undefined)[]; framed: boolean[] } {
  const frame = new RepeatedFrame<Chunk>(read);
  const framed: boolean[] = [];
  const chunks = all.map((data) => {
    const known = frame.readText(data);
    framed.push(known !== undefined);
    if (known) return known;
    const chunk = read(data);
    frame.learn(data, chunk);
    return chunk;
  });
  return { chunks, framed };
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 4 }),
  fc.constantFrom('', 'a', 'é', '"', '\\', '\n', '\u2028', '\ud800', '","text":"b'),
);
/** A few frames, in which the text may stand more than once. */
const frame = fc.record({ id: text, no: fc.constantFrom(1, null, {}), note: text }).chain((fields) =>
  fc.constantFrom(
    (written: string) => `{"id":${JSON.stringify(fields.id)},"text":${written}}`,
    (written: string) => `{"text": ${written}, "note": ${JSON.stringify(fields)}}`,
    (written: string) => `{"text":"a","no":${JSON.stringify(fields.no)},"text":${written}}`,
  ),
);
const written = text.chain((each) =>
  fc.constantFrom(JSON.stringify(each), JSON.stringify(each).replaceAll('a', '\\u0061'), `"${each}"`, 'null'),
);
const stream = fc.array(frame, { minLength: 1, maxLength: 3 }).chain((frames) =>
  fc.array(
    fc.tuple(fc.constantFrom(...frames), written).map(([put, each]) => put(each)),
    { maxLength: 12 },
  ),
);

describe('the frame of the last chunk (rule: stream-events)', () => {
  test('each chunk says what it says when it is read in full', () => {
    fc.assert(
      fc.property(stream, (all) => {
        expect(readAll(all).chunks).toEqual(all.map(read));
      }),
      { numRuns: 2_000 },
    );
  });

  test('of a chunk that has another text only, the text alone is read', () => {
    const all = ['a', 'b\n', ' "c"', ''].map((each) => JSON.stringify({ id: 7, text: each }));
    expect(readAll(all).framed).toEqual([false, true, true, true]);
  });

  test.each([
    ['another field', '{"id":8,"text":"b"}'],
    ['a further field', '{"id":7,"text":"b","end":true}'],
    ['two texts', '{"id":7,"text":"b","text":"c"}'],
    ['a text that ends too early', '{"id":7,"text":"b"c"}'],
    ['no text', '{"id":7,"text":null}'],
  ])('a chunk with %s is read in full', (_, data) => {
    const { framed, chunks } = readAll(['{"id":7,"text":"a"}', data]);
    expect(framed).toEqual([false, false]);
    expect(chunks[1]).toEqual(read(data));
  });

  test('where no frame comes twice, none is looked for in the end', () => {
    let readings = 0;
    const frame = new RepeatedFrame<Chunk>((data) => {
      readings += 1;
      return read(data);
    });
    for (let id = 0; id < 100; id += 1) frame.learn(`{"id":${id},"text":"a"}`, { delta: 'a', rest: '' });
    expect(readings).toBeLessThan(10);
  });
});
