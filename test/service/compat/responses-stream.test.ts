import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ResponsesStream } from '../../../src/service/compat/responses/responses-stream.js';
import type { Answer } from '../../../src/service/compat/wire.js';
import { eventSchema } from '../../support/open-responses.js';

const identity = { id: 'x'.repeat(24), createdAt: 1, model: 'm' };
const repeated = {
  instructions: null,
  max_output_tokens: null,
  metadata: {},
  parallel_tool_calls: true,
  prompt_cache_key: null,
  reasoning: null,
  temperature: 1,
  tool_choice: 'auto',
  text: { format: { type: 'text' } },
  tools: [],
};
const usage = {
  ...{ input_tokens: 1, output_tokens: 1, total_tokens: 2, cached_input_tokens: null },
  ...{ cache_write_tokens: null, reasoning_tokens: null, cost: null },
};

const calls = fc.array(
  fc.record({
    id: fc.string({ minLength: 1 }),
    tool: fc.record({
      kind: fc.constantFrom('function' as const, 'custom' as const),
      name: fc.constant('t'),
    }),
    parameters: fc.dictionary(fc.string(), fc.jsonValue()),
    argumentsText: fc.json(),
    providerState: fc.option(fc.constant({ a: 1 }), { nil: undefined }),
  }),
  { maxLength: 3 },
);
const deltas = fc.array(
  fc.tuple(fc.constantFrom('say' as const, 'reason' as const), fc.string({ minLength: 1 })),
);
const refusals = fc.constantFrom(null, '', 'No.');

const joined = (sent: readonly (readonly [string, string])[], kind: string): string =>
  sent.map(([each, text]) => (each === kind ? text : '')).join('');

describe('streams of Responses (rule: responses-answers)', () => {
  test('for text and reasoning in any order, every event of a Responses stream is valid, every item is finished, and the output has all text exactly once', () => {
    fc.assert(
      fc.property(deltas, calls, refusals, (sent, proposed, refusal) => {
        const stream = new ResponsesStream(identity, repeated);
        const [text, reasoning] = [joined(sent, 'say'), joined(sent, 'reason')];
        const answer: Answer = {
          ...identity,
          ...{ text, reasoning, usage, calls: proposed, providerState: undefined, report: undefined },
          ...{ refusal, end: refusal === null ? 'stop' : 'refusal' },
        };
        const written = [
          stream.begin(),
          ...sent.map(([kind, delta]) => stream[kind](delta)),
          stream.end(answer),
        ];
        const lines = written.join('').split('\n');
        const events = lines
          .filter((line) => line.startsWith('data: '))
          .map((line) => eventSchema.parse(JSON.parse(line.slice('data: '.length))));
        expect(events.map(({ sequence_number }) => sequence_number)).toEqual([...events.keys()]);
        const itemsOf = (type: string) =>
          events.flatMap((event) => (event.type === type && 'item' in event ? [event.item] : []));
        const done = itemsOf('response.output_item.done');
        const last = events.at(-1);
        expect(last && 'response' in last ? last.response.output : undefined).toEqual(done);
        expect(itemsOf('response.output_item.added').map(({ id }) => id)).toEqual(done.map(({ id }) => id));
        expect(new Set(done.map(({ id }) => id)).size).toBe(done.length);
        expect(done.length).toBeGreaterThan(0);
        const parts = done.flatMap((item) => (item.type === 'message' ? item.content : []));
        expect(parts.map((part) => ('text' in part ? part.text : '')).join('')).toBe(text);
        const summaries = done.flatMap((item) => (item.type === 'reasoning' ? item.summary : []));
        expect(summaries.map((part) => part.text).join('')).toBe(reasoning);
      }),
    );
  });
});
