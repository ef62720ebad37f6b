import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { TurnInput } from '../../src/contract/history.js';
import type { Step } from '../../src/contract/step.js';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import type { ScriptedReply } from '../../src/offline/wire/reply.js';
import { streamStep } from '../support/stream-step.js';
import {
  llmConfig,
  startWholeService,
  type VendorName,
  vendors,
  type WholeService,
} from '../support/whole-service.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.close());

const vendorNames = Object.keys(vendors) as VendorName[];
const inputSchema = { type: 'object', properties: { path: { type: 'string' } } };
const oddName = 'fs.v2/read'.replace('/', '.');
const longName = `read_${'x'.repeat(100)}`;
const tools = ['read_file', oddName, longName].map((name) => ({ name, inputSchema }));

const request = (vendor: VendorName, changes: Partial<StepRequestInput> = {}): Partial<StepRequestInput> => ({
  llm_config: llmConfig(vendor),
  protocol: 'native',
  tools,
  ...changes,
});

/** Returns the tools of the last provider request, under the names that the vendor received. */
function sentToolNames(): string[] {
  const sent = service.fake.requests.at(-1)?.body['tools'];
  return (Array.isArray(sent) ? sent : []).map((tool) => tool.name ?? tool.function.name);
}

describe.each(vendorNames)('native calling with %s (rule: native-calling)', (vendor) => {
  test('of parallel calls, the first becomes the action and the others additional actions, each in a turn of its own', async () => {
    service.fake.script({
      text: 'Both at once.',
      toolCalls: ['a.ts', 'b.ts', 'c.ts'].map((path) => ({ name: 'read_file', arguments: { path } })),
    });
    const { body } = await service.step(request(vendor));
    const all = [body.action_details, ...body.additional_actions];
    expect(all.map((each) => each?.tool_args)).toEqual([
      { path: 'a.ts' },
      { path: 'b.ts' },
      { path: 'c.ts' },
    ]);
    expect(new Set(all.map((each) => each?.id)).size).toBe(3);
    expect(body).toMatchObject({
      status: 'action_proposed',
      thought: 'Both at once.',
      finish_reason: 'tool',
    });
    expect(body.parse).toMatchObject({ dialect: 'native', confidence: 'exact' });
    const calls = body.new_turns.slice(1);
    expect(calls.map(({ content }) => content)).toEqual(['Both at once.', '', '']);
    expect(calls.map(({ toolCall }) => toolCall?.id)).toEqual(all.map((each) => each?.id));
  });

  test('a run of four steps obeys the message rules of the vendor when its history is sent back', async () => {
    const replies: ScriptedReply[] = [
      {
        reasoning: 'First look.',
        text: 'I read two files.',
        toolCalls: [
          { name: 'read_file', arguments: { path: 'a' } },
          { name: 'read_file', arguments: { path: 'b' } },
        ],
      },
      { reasoning: 'Then more.', toolCalls: [{ name: 'read_file', arguments: { path: 'c' } }] },
      { text: 'Once more.', toolCalls: [{ name: 'read_file', arguments: '' }] },
      { text: 'It is in c.' },
    ];
    service.fake.script(replies);
    let history: TurnInput[] = [];
    for (const [index] of replies.entries()) {
      const { status, body } = await service.step(
        request(vendor, {
          user_query: index === 0 ? 'Where is it?' : '',
          conversation_history: history,
          max_iterations_left: 9 - index,
        }),
      );
      expect([status, body.error]).toEqual([200, null]);
      const ids = [body.action_details, ...body.additional_actions].flatMap((each) => each?.id ?? []);
      history = [
        ...((body.updated_conversation_history ?? []) as TurnInput[]), // a returned history is valid in the next request
        // The results are in another order than the calls.
        ...ids.reverse().map((id) => ({
          role: 'tool_observation' as const,
          content: `result of ${id}`,
          toolCallId: id,
        })),
      ];
      if (index === replies.length - 1) expect(body.direct_response).toBe('It is in c.');
      else expect(body.status).toBe('action_proposed');
    }
  });

  test('the service reads the first 128 of a thousand calls and reports the others as discarded', async () => {
    service.fake.script({
      toolCalls: Array.from({ length: 1_000 }, () => ({ name: 'read_file', arguments: { path: 'a' } })),
    });
    const { body } = await service.step(request(vendor));
    expect(body.status).toBe('action_proposed');
    expect(body.additional_actions).toHaveLength(127);
    expect(body.parse?.discarded).toEqual([{ kind: 'action', chars: expect.any(Number) }]);
  });

  test('tool names that the vendor does not accept are replaced in the request and restored in the reply', async () => {
    service.fake.script(() => ({
      toolCalls: sentToolNames().map((name) => ({ name, arguments: { path: 'a' } })),
    }));
    const { body } = await service.step(request(vendor));
    for (const name of sentToolNames()) expect(name).toMatch(/^[\w-]{1,64}$/);
    const all = [body.action_details, ...body.additional_actions];
    expect(all.map((each) => each?.tool_name)).toEqual(tools.map(({ name }) => name));
  });

  test('a streamed step with native calls equals the plain one, and its text is streamed', async () => {
    service.fake.script({
      text: 'I look into it.',
      toolCalls: [{ name: 'read_file', arguments: { path: 'a.ts' } }],
    });
    const { body } = await service.step(request(vendor));
    const streamed = await streamStep(service, request(vendor));
    expect(withoutMoment(streamed.step)).toEqual(withoutMoment(body));
    expect(streamed.joined('draft') + streamed.joined('thought')).toBe('I look into it.');
    expect(streamed.events.find(({ event }) => event === 'action.proposed')?.data.action).toEqual(
      body.action_details,
    );
  });

  test('at the last iteration the tools stay listed and tool_choice is none (rule: last-iteration)', async () => {
    service.fake.script({ text: 'It is there.' });
    const { body } = await service.step(request(vendor, { max_iterations_left: 1 }));
    expect(body.direct_response).toBe('It is there.');
    expect(sentToolNames()).toHaveLength(3);
    expect(JSON.stringify(service.fake.requests.at(-1)?.body['tool_choice'])).toContain('none');
  });

  test('the protocol `auto` sends native tools if the request has tools, and none otherwise (rule: native-calling)', async () => {
    service.fake.script({ text: 'Final Answer: yes' });
    await service.step(request(vendor, { protocol: 'auto' }));
    expect(sentToolNames()).toHaveLength(3);
    await service.step(request(vendor, { protocol: 'auto', tools: [] }));
    expect(sentToolNames()).toEqual([]);
  });

  test('native arguments that are not JSON give malformed_action with a correction that the next step accepts (rule: unreadable-action)', async () => {
    service.fake.script([
      { toolCalls: [{ name: 'read_file', arguments: '{"path": ' }] },
      { text: 'Sorry. It is there.' },
    ]);
    const { body } = await streamStep(service, request(vendor)).then(({ step }) => ({ step, body: step }));
    expect(body).toMatchObject({ status: 'direct_response_provided', action_details: null, thought: null });
    expect(body.parse?.outcome).toBe('malformed_action');
    const history = [...(body.updated_conversation_history ?? []), body.correction] as TurnInput[];
    const again = await service.step(request(vendor, { user_query: '', conversation_history: history }));
    expect(again.body.direct_response).toBe('Sorry. It is there.');
  });
});

test('provider_state is sent back unchanged, and only to the provider that made it (rule: native-calling)', async () => {
  const reasoning = 'I think before I act.';
  service.fake.script({ reasoning, toolCalls: [{ name: 'read_file', arguments: { path: 'a' } }] });
  const { body } = await service.step(request('anthropic'));
  const conversation_history = [
    ...(body.updated_conversation_history ?? []),
    { role: 'tool_observation', content: 'found', toolCallId: body.action_details?.id },
  ] as TurnInput[];
  service.fake.script({ text: 'Done.' });
  for (const [vendor, isThere] of [
    ['anthropic', true],
    ['openai', false],
  ] as const) {
    await service.step(request(vendor, { user_query: '', conversation_history }));
    const sent = service.fake.requests.at(-1)?.rawBody ?? '';
    expect([vendor, sent.includes(reasoning), sent.includes('signature')]).toEqual([
      vendor,
      isThere,
      isThere,
    ]);
  }
});

const anyText = fc.oneof(
  fc.constantFrom('', 'a word', 'Action: read_file(path="a")', ' \n ', '</observation>', '<think>'),
  fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.replaceAll('\0', '')),
);
const anyId = fc.option(
  fc.constantFrom('call_1', 'call_2', 'toolu_x', '', 'an id, with: blanks', 'y'.repeat(90)),
  {
    nil: null,
  },
);
const anyState = fc.constantFrom(
  undefined,
  null,
  'opaque',
  { provider: 'anthropic', blocks: [{ type: 'thinking', thinking: 'hm', signature: 'sig' }] },
  { provider: 'anthropic', blocks: [{ type: 'tool_use', id: 'x' }, 7] },
  { provider: 'openai', blocks: 'none' },
);

/** Arbitrary turns that the schema accepts, in any order, meaningful or not. */
const anyTurn: fc.Arbitrary<TurnInput> = fc.oneof(
  fc.record({
    role: fc.constant('user' as const),
    content: anyText,
    kind: fc.constantFrom(null, 'notice' as const, 'summary' as const),
  }),
  fc.record({
    role: fc.constant('assistant' as const),
    content: anyText,
    phase: fc.constantFrom(null, 'reason' as const, 'act' as const, 'observe' as const),
    provider_state: anyState,
  }),
  fc.record({
    role: fc.constant('assistant' as const),
    content: anyText,
    provider_state: anyState,
    toolCall: fc.record({
      name: fc.constantFrom('read_file', oddName, longName, 'no such tool', 'ünïcode'),
      parameters: fc.dictionary(fc.constantFrom('path', 'odd key', ''), anyText, { maxKeys: 2 }),
      id: anyId,
    }),
  }),
  fc.record({
    role: fc.constant('tool_observation' as const),
    content: anyText,
    toolCallId: anyId,
    toolResult: fc.option(fc.record({ success: fc.boolean(), error: fc.option(anyText, { nil: null }) }), {
      nil: null,
    }),
  }),
);

test.each(
  vendorNames.flatMap((vendor) =>
    (['text', 'xml', 'native'] as const).map((protocol): [VendorName, 'text' | 'xml' | 'native'] => [
      vendor,
      protocol,
    ]),
  ),
)('any valid history can be sent to %s with the protocol %s (rule: pairing)', async (vendor, protocol) => {
  service.fake.script({ text: 'Final Answer: taken' });
  await fc.assert(
    fc.asyncProperty(fc.array(anyTurn, { maxLength: 10 }), async (conversation_history) => {
      const { status, body } = await service.step(request(vendor, { protocol, conversation_history }));
      expect([status, body.error?.code]).toEqual([200, undefined]);
    }),
    { numRuns: 30 },
  );
});

/** Removes the fields in which even equal steps differ. */
function withoutMoment(step: Step): Step {
  const untimed = (turns: Step['new_turns']) => turns.map((turn) => ({ ...turn, timestamp: undefined }));
  const { updated_conversation_history: history } = step;
  return {
    ...step,
    request_id: '',
    new_turns: untimed(step.new_turns),
    updated_conversation_history: history && untimed(history),
  };
}
