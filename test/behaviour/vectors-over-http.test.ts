import { isDeepStrictEqual } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { hostileReplies, sendBack } from '../support/hostile-replies.js';
import { loadCases, type ParserCase, writtenCallTools } from '../support/parsing/cases.js';
import { type StepAnswer, startWholeService, type WholeService } from '../support/whole-service.js';

const offered = writtenCallTools();
const cases = loadCases('written-calls');

/** Lists the tools without types: a reply in text needs only the names of the parameters, in order. */
const segment = offered.map(({ name, parameters }) => `- ${name}(${parameters.join(', ')})`).join('\n');
const tools = offered.map(({ name, parameters }) => ({
  name,
  inputSchema: { type: 'object', properties: Object.fromEntries(parameters.map((each) => [each, {}])) },
}));

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.close());

const replyTo = (text: string): Promise<StepAnswer> => {
  service.fake.script({ text });
  return service.step({ tools });
};

/** Returns the differences between the response and the expected reading of a case; empty if there are none. */
function faultsOf({ expected, text }: ParserCase, { status, body }: StepAnswer): string[] {
  if (status !== 200) return [`HTTP ${status}`];
  const { action_details: action } = body;
  if (expected.outcome !== 'action') {
    if (action) return [`proposed ${action.raw_action_string}`];
    const told = [body.reasoning, body.thought, body.direct_response].join('');
    return withoutLabels(told) === withoutLabels(text) ? [] : [`text lost: ${body.direct_response}`];
  }
  if (!action) return [`${body.parse?.outcome}: ${body.parse?.problem}`];
  return [
    ...(action.tool_name === expected.tool_name ? [] : [`tool ${action.tool_name}`]),
    ...(isDeepStrictEqual(copy(action.tool_args), expected.tool_args)
      ? []
      : [JSON.stringify(action.tool_args)]),
    ...(action.raw_action_string === `Action: ${expected.raw}` ? [] : [action.raw_action_string]),
    ...(body.thought === (expected.thought || null) ? [] : [`thought ${body.thought}`]),
  ];
}

/**
 * Copies a value, since `fetch` creates objects outside the realm of the test: values are equal, prototypes are
 * not.
 */
const copy = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

const withoutLabels = (text: string): string =>
  text.replace(/<\/?think>|Thought:|(?:Final )?Answer:|\s/g, '');

describe('written calls of the conformance set, read over HTTP', () => {
  const least = { core: 1, neg: 1, ruling: 1, repair: 0.95 } satisfies Record<ParserCase['tier'], number>;
  const texts = new Map(cases.map(({ id, text }) => [id, text]));

  test.each(Object.entries(least))(
    'of the conformance cases of tier %s, the service reads at least the share %d',
    async (tier, share) => {
      service.fake.script(({ rawBody }) => ({ text: texts.get(/v\d{4}/.exec(rawBody)?.[0] ?? '') ?? null }));
      const own = cases.filter((each) => each.tier === tier);
      const failed: string[] = [];
      for (const each of own) {
        const faults = faultsOf(
          each,
          await service.step({ user_query: each.id, available_tools_prompt_segment: segment }),
        );
        if (faults.length > 0) failed.push(`${each.id}: ${faults.join('; ')}`);
      }
      expect(own.length).toBeGreaterThan(20);
      if (failed.length > own.length * (1 - share)) expect(failed).toEqual([]);
    },
    60_000,
  );
});

describe('any reply gives a response and a history that can be sent back (rule: linear-work)', () => {
  test.each(Object.entries(hostileReplies(16_384)))(
    'a reply gives a history that can be sent back: %s',
    async (_name, text) => {
      const answer = await replyTo(text);
      expect(answer.status).toBe(200);
      // A reply of white space only is not an answer (rule: billed-outcomes).
      expect(answer.body.error?.code).toBe(text.trim() === '' ? 'empty_response' : undefined);
      await sendBack(service, answer, { tools });
    },
    30_000,
  );

  const piece = fc.oneof(
    fc.constantFrom(
      ...[
        'Action: ',
        'Action Input: ',
        'Thought: ',
        'Final Answer: ',
        'Observation: ',
        '<think>',
        '</think>',
      ],
      ...[
        '<tool_code><name>',
        '</name><parameters>',
        '</parameters></tool_code>',
        '<tool_call>',
        '```json\n',
      ],
      ...['read_file(', 'path="', '"', ')', '\n', '{"name": "read_file", "arguments": {', '}', '[', "'''"],
      ...['\ud800', '\0', '\\u0000', '\u202e', '9'.repeat(20), '1e999', '__proto__', 'call_1'],
    ),
    fc.string({ unit: 'binary', maxLength: 12 }),
  );
  const anyReply = fc.array(piece, { minLength: 1, maxLength: 14 }).map((pieces) => pieces.join(''));

  test('arbitrary text replies give a history that can be sent back', async () => {
    await fc.assert(
      fc.asyncProperty(anyReply, async (text) => {
        const answer = await replyTo(text);
        expect(answer.status).toBe(200);
        await sendBack(service, answer, { tools });
      }),
      { numRuns: 100 },
    );
  }, 60_000);

  test('arbitrary native calls give a history that can be sent back', async () => {
    const call = fc.record({
      name: fc.oneof(fc.constantFrom('read_file', 'http.request'), fc.string({ unit: 'binary' })),
      arguments: fc.oneof(anyReply, fc.dictionary(fc.string(), fc.string({ unit: 'binary' }))),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(call, { minLength: 1, maxLength: 3 }), anyReply, async (toolCalls, text) => {
        service.fake.script({ text, toolCalls, finishReason: 'tool' });
        const answer = await service.step({ tools, protocol: 'native' });
        expect(answer.status).toBe(200);
        await sendBack(service, answer, { tools, protocol: 'native' });
      }),
      { numRuns: 60 },
    );
  }, 60_000);
});
