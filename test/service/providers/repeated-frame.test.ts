import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { RepeatedFrame } from '../../../src/service/providers/repeated-frame.js';
import { parseJson } from '../../../src/service/providers/upstream/read-upstream-body.js';
import { ArrivedEvents } from '../../../src/service/providers/upstream/server-sent-events.js';

interface Chunk {
  readonly delta: string;
  /** All else that the chunk holds. */
  readonly rest: string;
}

/** Reads a chunk in full; undefined for what is no chunk. */
function read(data: string): Chunk | undefined {
  const json = parseJson(data);
  if (typeof json !== 'object' || json === null || !('text' in json)) return undefined;
  const { text, pad: _, ...rest } = { pad: null, ...json };
  return typeof text === 'string' ? { delta: text, rest: JSON.stringify(rest) } : undefined;
}

const padding = ',"pad":"';

/** Chunks as they arrive together. */
const arriving = (all: readonly string[]): ArrivedEvents =>
  new ArrivedEvents(all.map((data) => `data: ${data}\n\n`).join(''));

/** What chunks that arrive together say, each read in full. */
function readInFull(all: readonly string[]): (Chunk | undefined)[] {
  const events = arriving(all);
  const chunks: (Chunk | undefined)[] = [];
  for (let next = events.next(); next; next = events.next()) chunks.push(read(next.data));
  return chunks;
}

/** The same with what is known by the frame, and how many chunks were known at once each time that some were. */
function readAll(all: readonly string[]): { chunks: (Chunk | undefined)[]; runs: number[] } {
  const frame = new RepeatedFrame<Chunk>(read, padding);
  const events = arriving(all);
  const chunks: (Chunk | undefined)[] = [];
  const runs: number[] = [];
  for (;;) {
    const start = events.at;
    const known = frame.take(events);
    if (known) chunks.push(known);
    if (known) runs.push(events.text.slice(start, events.at).split('\n\n').length - 1);
    const next = events.next();
    if (!next) return { chunks, runs };
    const chunk = read(next.data);
    chunks.push(chunk);
    frame.learn(next.lines, chunk);
  }
}

/** Neighbours that say the same but for their texts are one. */
function joined(chunks: readonly (Chunk | undefined)[]): (Chunk | undefined)[] {
  const all: (Chunk | undefined)[] = [];
  for (const chunk of chunks) {
    const last = all.at(-1);
    if (chunk && last?.rest === chunk.rest)
      all[all.length - 1] = { ...last, delta: last.delta + chunk.delta };
    else all.push(chunk);
  }
  return all;
}

const text = fc.oneof(
  fc.string({ unit: 'grapheme', maxLength: 4 }),
  fc.constantFrom('', 'a', 'é', '"', '\\', '\n', '\u2028', '\ud800', '","text":"b'),
);
/** A few frames, in which the text may stand more than once, some of them padded. */
const frame = fc.record({ id: text, no: fc.constantFrom(1, null, {}), note: text }).chain((fields) =>
  fc.constantFrom(
    (written: string) => `{"id":${JSON.stringify(fields.id)},"text":${written}}`,
    (written: string) => `{"text": ${written}, "note": ${JSON.stringify(fields)}}`,
    (written: string) => `{"text":"a","no":${JSON.stringify(fields.no)},"text":${written}}`,
    (written: string, pad: string) => `{"id":1,"text":${written},"pad":${pad}}`,
    (written: string, pad: string) => `{"text":${written},"pad":${pad},"no":2}`,
    (written: string, pad: string) => `{"pad":"a","text":${written},"no":",\\"pad\\":\\"b","pad":${pad}}`,
  ),
);
const written = text.chain((each) =>
  fc.constantFrom(JSON.stringify(each), JSON.stringify(each).replaceAll('a', '\\u0061'), `"${each}"`, 'null'),
);
const stream = fc.array(frame, { minLength: 1, maxLength: 3 }).chain((frames) =>
  fc.array(
    fc.tuple(fc.constantFrom(...frames), written, written).map(([put, each, pad]) => put(each, pad)),
    { maxLength: 12 },
  ),
);

describe('the frame of the last chunk (rule: stream-events)', () => {
  test('chunks say what they say when each is read in full', () => {
    fc.assert(
      fc.property(stream, (all) => {
        expect(joined(readAll(all).chunks)).toEqual(joined(readInFull(all)));
      }),
      { numRuns: 2_000 },
    );
  });

  test('of chunks that have another text only, the texts alone are read, all together', () => {
    const all = ['a', 'b\n', ' "c"', 'd\\', ''].map((each) => JSON.stringify({ id: 7, text: each }));
    const { chunks, runs } = readAll(all);
    expect(runs).toEqual([4]);
    expect(chunks.map((chunk) => chunk?.delta)).toEqual(['a', 'b\n "c"d\\']);
  });

  test('so are those that are padded each in its own way', () => {
    const all = ['x', '\\"', '', 'pad'].map((pad, id) => `{"text":"${id}","pad":${JSON.stringify(pad)}}`);
    expect(readAll(all).runs).toEqual([3]);
  });

  test.each([
    ['another field', '{"id":8,"text":"b"}'],
    ['a further field', '{"id":7,"text":"b","end":true}'],
    ['two texts', '{"id":7,"text":"b","text":"c"}'],
    ['a text that ends too early', '{"id":7,"text":"b"c"}'],
    ['a text that does not end', '{"id":7,"text":"b\\"}'],
    ['an escape that is none', '{"id":7,"text":"\\x"}'],
    ['no text', '{"id":7,"text":null}'],
    ['a text that is read in turns', JSON.stringify({ id: 7, text: 'long'.repeat(100_000) })],
  ])('a chunk with %s is read in full', (_, data) => {
    const { runs, chunks } = readAll(['{"id":7,"text":"a"}', data]);
    expect(runs).toEqual([]);
    expect(chunks[1]).toEqual(read(data));
  });

  test('a chunk whose padding is no string is read in full', () => {
    expect(readAll(['{"text":"a","pad":"b"}', '{"text":"b","pad":"\\x"}']).runs).toEqual([]);
  });

  test('a text that is the word of a key is a text, though no event is left with another word there', () => {
    const frame = new RepeatedFrame<Chunk>((data) => {
      const chunk = read(data);
      if (chunk) return chunk;
      throw new Error('It is no chunk.');
    });
    const next = arriving(['{"text":"b"}']);
    frame.learn('data: {"text":"text"}\n\n', { delta: 'text', rest: '{}' });
    expect(frame.take(next)).toBeUndefined();
    frame.learn('data: {"text":"a"}\n\n', { delta: 'a', rest: '{}' });
    expect(frame.take(next)).toEqual({ delta: 'b', rest: '{}' });
  });

  test('where no frame comes twice, none is looked for in the end', () => {
    let readings = 0;
    const frame = new RepeatedFrame<Chunk>((data) => {
      readings += 1;
      return read(data);
    });
    for (let id = 0; id < 100; id += 1)
      frame.learn(`data: {"id":${id},"text":"a"}\n\n`, { delta: 'a', rest: '' });
    expect(readings).toBeLessThan(10);
  });
});
