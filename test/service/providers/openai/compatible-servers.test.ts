import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { traitsOf } from '../../../../src/service/providers/models/models.js';
import { openaiVendor } from '../../../../src/service/providers/openai/provider.js';
import { readEventData, readPlain } from '../../../support/providers/requests.js';

const vendor = openaiVendor(traitsOf('openai', 'gpt-4o'));

interface Call {
  readonly id: string;
  readonly path: string;
}

const calls = fc.uniqueArray(fc.record({ id: fc.stringMatching(/^[a-z]{3,8}$/), path: fc.string() }), {
  selector: ({ id }) => id,
  minLength: 1,
  maxLength: 5,
});

/** How servers number parallel calls, and whether later parts of a call repeat its id. */
const numberings = {
  'by index': { index: (call: number) => call, id: 'first' },
  'by index, with the id in every part': { index: (call: number) => call, id: 'always' },
  'with index 0 for every call': { index: () => 0, id: 'always' },
  'with index 0 for every call, and the id in the first part alone': { index: () => 0, id: 'first' },
  'without an index, with the id in every part': { index: () => undefined, id: 'always' },
  'without an index, and the id in the first part alone': { index: () => undefined, id: 'first' },
} as const;

type Numbering = (typeof numberings)[keyof typeof numberings];

const read = (call: Call): string => JSON.stringify({ path: call.path });

/**
 * Returns the parts of the calls in the order in which a server sends them: for each call its name, then its arguments
 * in two halves.
 */
function partsOf(sent: readonly Call[], { index, id }: Numbering): object[] {
  return sent.flatMap((call, position) => {
    const text = read(call);
    const halves = [text.slice(0, text.length / 2), text.slice(text.length / 2)];
    const part = (fields: object, isFirst = false) => ({
      ...(index(position) !== undefined && { index: index(position) }),
      ...((isFirst || id === 'always') && { id: call.id }),
      function: fields,
    });
    return [
      part({ name: 'read_file', arguments: '' }, true),
      ...halves.map((half) => part({ arguments: half })),
    ];
  });
}

const chunkOf = (delta: object, finish: string | null = null): string =>
  JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }] });

const eventsOf = (parts: readonly object[]): string[] => [
  ...parts.map((part) => chunkOf({ tool_calls: [part] })),
  chunkOf({}, 'tool_calls'),
];

const callsIn = (events: readonly string[]): unknown[] | undefined =>
  readEventData(vendor, events)?.completion.toolCalls.map(({ name, arguments: text }) => ({
    name,
    ...JSON.parse(text),
  }));

const expected = (sent: readonly Call[]): unknown[] => sent.map(({ path }) => ({ name: 'read_file', path }));

describe('streamed calls of compatible servers (rule: compatible-answers)', () => {
  test.each(
    Object.entries(numberings),
  )('parallel calls are read correctly if they are numbered %s', (_, numbering) => {
    fc.assert(
      fc.property(calls, (sent) => {
        expect(callsIn(eventsOf(partsOf(sent, numbering)))).toEqual(expected(sent));
      }),
    );
  });

  test('parallel calls with interleaved fragments are put together by their indexes', () => {
    const sent = [
      { id: 'one', path: 'a.ts' },
      { id: 'two', path: 'b.ts' },
    ];
    const parts = partsOf(sent, numberings['by index']);
    const alternating = [0, 3, 1, 4, 2, 5].map((position) => parts[position] ?? {});
    expect(callsIn(eventsOf(alternating))).toEqual(expected(sent));
  });

  test.each([
    ['an object', (call: Call) => ({ path: call.path })],
    ['a text', read],
  ])('whole calls without id and index are read if their arguments are %s', (_, written) => {
    fc.assert(
      fc.property(calls, (sent) => {
        const parts = sent.map((call) => ({ function: { name: 'read_file', arguments: written(call) } }));
        expect(callsIn(eventsOf(parts))).toEqual(expected(sent));
      }),
    );
  });

  test('after a complete call without id and index, an empty fragment does not merge the next call into it', () => {
    const whole = (path: string) => ({ function: { name: 'read_file', arguments: { path } } });
    const parts = [whole('a.ts'), { function: { arguments: '' } }, whole('b.ts')];
    expect(callsIn(eventsOf(parts))).toEqual([
      { name: 'read_file', path: 'a.ts' },
      { name: 'read_file', path: 'b.ts' },
    ]);
  });

  test('two calls that share an id are two calls if their indexes differ', () => {
    const parts = ['a.ts', 'b.ts'].map((path, index) => ({
      index,
      id: 'call_0',
      function: { name: 'read_file', arguments: JSON.stringify({ path }) },
    }));
    expect(callsIn(eventsOf(parts))).toEqual([
      { name: 'read_file', path: 'a.ts' },
      { name: 'read_file', path: 'b.ts' },
    ]);
  });
});

describe('texts of compatible servers (rule: compatible-answers)', () => {
  const finish = chunkOf({}, 'stop');

  test.each([
    ['a text', 'The port is 80.'],
    [
      'a list of texts',
      [
        { type: 'text', text: 'The port ' },
        { type: 'text', text: 'is 80.' },
      ],
    ],
  ])('content that is %s is read, streamed and plain', (_, content) => {
    expect(readEventData(vendor, [chunkOf({ content }), finish])?.completion.text).toBe('The port is 80.');
    const plain = { choices: [{ message: { content }, finish_reason: 'stop' }] };
    expect(readPlain(vendor, plain)?.text).toBe('The port is 80.');
  });

  test('a reasoning part in a content list is read as reasoning, not as text', () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
      { type: 'text', text: '80' },
    ];
    const { deltas, completion } = readEventData(vendor, [chunkOf({ content }), finish]) ?? {};
    expect(completion).toMatchObject({ text: '80', reasoning: 'Hm.' });
    expect(deltas).toEqual([
      { type: 'reasoning', delta: 'Hm.' },
      { type: 'text', delta: '80' },
    ]);
  });

  test('a chunk with `message` and a plain answer with `delta` are read', () => {
    const said = { content: '80' };
    const chunk = JSON.stringify({ choices: [{ message: said, finish_reason: 'stop' }] });
    expect(readEventData(vendor, [chunk])?.completion.text).toBe('80');
    expect(readPlain(vendor, { choices: [{ delta: said, finish_reason: 'stop' }] })?.text).toBe('80');
  });

  test.each([
    ['an empty list', { choices: [] }],
    ['null', { choices: null }],
    ['absent', {}],
  ])('a usage chunk whose choices are %s does not end the reply', (_, chunk) => {
    const usage = JSON.stringify({ ...chunk, usage: { prompt_tokens: 5, completion_tokens: 3 } });
    const { completion } = readEventData(vendor, [usage, chunkOf({ content: '80' }), finish]) ?? {};
    expect(completion).toMatchObject({ text: '80', usage: { input_tokens: 5, output_tokens: 3 } });
  });

  test.each([
    ['stop', ['stop', 'STOP', 'end_turn', 'eos_token', 'COMPLETE']],
    ['length', ['length', 'MAX_TOKENS', 'max_output_tokens', 'model_length']],
    ['tool', ['tool_calls', 'function_call', 'tool_use']],
    ['refusal', ['content_filter', 'SAFETY', 'RECITATION']],
    ['other', ['something_new', '']],
  ])('the finish reason is %s for each of the raw values %j (rule: finish-reason)', (unified, reasons) => {
    for (const reason of reasons) {
      const plain = { choices: [{ message: { content: '80' }, finish_reason: reason }] };
      expect(readPlain(vendor, plain)?.finishReason).toBe(unified);
    }
  });
});

describe('errors inside a 200 of compatible servers (rule: compatible-answers)', () => {
  test.each([
    ['an error object', { error: { message: 'no', code: 'server_error' } }],
    ['an error text', { error: 'no' }],
    ['an error beside a whole choice', { choices: [{ message: { content: '80' } }], error: { code: 429 } }],
    ['a finish reason `error`', { choices: [{ message: { content: '' }, finish_reason: 'error' }] }],
    ['a flat error', { object: 'error', message: 'no', code: 400 }],
    ['a detail', { detail: 'no' }],
    ['a list of errors', [{ error: { message: 'no' } }]],
  ])('an error inside a 200 is not read as a completion, plain or streamed: %s', (_, json) => {
    expect(readPlain(vendor, json)).toBeUndefined();
    expect(readEventData(vendor, [JSON.stringify(json)])).toBeUndefined();
  });

  test.each([
    '[',
    '{"error":',
    '{"error":[',
    '{"message":',
    '{"detail":[',
    '{"errors":[{"message":',
  ])('errors nested 100,000 deep in %s are read without an overflow of the stack', (opener) => {
    const closer = [...opener]
      .reverse()
      .map((mark) => ({ '[': ']', '{': '}' })[mark] ?? '')
      .join('');
    const body = `${opener.repeat(100_000)}1${closer.repeat(100_000)}`;
    expect(vendor.readError(body).codes).toEqual([]);
    expect(() => readEventData(vendor, [body])).not.toThrow();
    expect(() => readPlain(vendor, JSON.parse(body))).not.toThrow();
  });

  test('an error field that is null or empty is not read as an error', () => {
    for (const error of [null, '', false]) {
      const json = { choices: [{ message: { content: '80' }, finish_reason: 'stop' }], error };
      expect(readPlain(vendor, json)?.text).toBe('80');
    }
  });
});
