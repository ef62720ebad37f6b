import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { TurnInput } from '../../src/contract/history.js';
import type { Step } from '../../src/contract/step.js';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import type { ScriptedCompletion } from '../../src/offline/wire/reply.js';
import { defineTool } from '../../src/sdk/actions/define-tool.js';
import { StepwiseClient } from '../../src/sdk/client/stepwise-client.js';
import {
  allVendors,
  type DemandingVendor,
  demandingServer,
  demandingUpstreams,
  demandingVendors,
} from '../support/providers/demanding-vendors.js';
import { streamStep } from '../support/stream-step.js';
import { startWholeService, stepRequest, type WholeService } from '../support/whole-service.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService(undefined, { UPSTREAMS: JSON.stringify(demandingUpstreams) });
});
afterAll(() => service.close());

const tools = ['read_file', 'fs.list'].map((name) => ({
  name,
  inputSchema: { type: 'object', properties: { path: { type: 'string' } } },
}));

function request(
  { provider, model }: DemandingVendor,
  history: readonly TurnInput[],
): Partial<StepRequestInput> {
  return {
    llm_config: { modelName: model, provider, tokenLimit: 60_000, reservedOutputTokens: 1_000 },
    protocol: 'native',
    tools,
    user_query: history.length === 0 ? 'Where is it?' : '',
    conversation_history: [...history],
    max_iterations_left: 20,
  };
}

/** Returns one call, or two in every third step. */
function calls(_: DemandingVendor, serial: number): ScriptedCompletion {
  const one = { id: `call_${serial}`, name: 'read_file', arguments: { path: `a${serial}` } };
  const two = { id: `call_${serial}b`, name: 'read_file', arguments: { path: 'b' } };
  return { text: serial % 2 === 0 ? 'I look.' : null, toolCalls: serial % 3 === 0 ? [one, two] : [one] };
}

async function step(
  vendor: DemandingVendor,
  history: readonly TurnInput[],
  streamed: boolean,
): Promise<Step> {
  if (streamed) return (await streamStep(service, request(vendor, history))).step;
  const { body } = await service.step(request(vendor, history));
  expect(body.error).toBeNull();
  return body;
}

/**
 * Returns the history after a step with an observation for each call, as it comes back from a client that
 * stores JSON.
 */
function observed(body: Step, text = 'found'): TurnInput[] {
  const ids = [body.action_details, ...body.additional_actions].flatMap((each) => each?.id ?? []);
  const results = ids.map((id) => ({ role: 'tool_observation', content: `${text} ${id}`, toolCallId: id }));
  return JSON.parse(JSON.stringify([...(body.updated_conversation_history ?? []), ...results]));
}

describe.each(demandingVendors)('provider state of $title (rule: provider-state)', (vendor) => {
  test.each([
    ['plain', false],
    ['streamed', true],
  ])('a native run of ten steps, %s, sends each call back with its exact provider state', async (_, streamed) => {
    const server = demandingServer((each, serial) =>
      serial < 10 ? calls(each, serial) : { text: 'It is there.' },
    );
    service.fake.script(server.respond);
    let history: TurnInput[] = [];
    for (let index = 1; index < 10; index += 1) {
      const body = await step(vendor, history, streamed);
      expect(body.status).toBe('action_proposed');
      history = observed(body);
    }
    const body = await step(vendor, history, streamed);
    expect(body.direct_response).toBe('It is there.');
    expect(body.warnings).toEqual([]);
    expect(server.recognized()).toBeGreaterThan(40);
  });

  test('a streamed reply has the same provider state as a plain one', async () => {
    const states = [];
    for (const streamed of [false, true]) {
      service.fake.script(demandingServer(() => calls(vendor, 3)).respond);
      states.push((await step(vendor, [], streamed)).new_turns.map(({ provider_state }) => provider_state));
    }
    expect(states[0]?.some((state) => state !== undefined)).toBe(true);
    expect(states[1]).toEqual(states[0]);
  });

  test('if the observation of a call is missing, the call of the next step is still sent with its provider state', async () => {
    const server = demandingServer((_, serial) => ({ ...calls(vendor, serial), text: null }));
    service.fake.script(server.respond);
    const cut = (await step(vendor, [], false)).updated_conversation_history ?? [];
    const history = observed(await step(vendor, cut, false));
    const { warnings } = await step(vendor, history, false);
    expect(warnings.map(({ code }) => code)).toEqual(['call_without_observation']);
    expect(server.recognized()).toBe(3);
  });

  test('after compaction by masking, each call is still sent with its provider state', async () => {
    const server = demandingServer(calls);
    service.fake.script(server.respond);
    let history: TurnInput[] = [];
    for (let index = 0; index < 8; index += 1) {
      history = observed(await step(vendor, history, false), 'a long observation '.repeat(60));
      const { body } = await service.post('/api/agent/compact_history', {
        project_id: stepRequest().project_id,
        session_id: stepRequest().session_id,
        conversation_history: history,
        target_tokens: 600,
        strategy: 'mask',
        llm_config: request(vendor, []).llm_config,
      });
      history = (body as unknown as { conversation_history: TurnInput[] }).conversation_history;
    }
    expect(JSON.stringify(history)).toContain('left out');
    expect(server.recognized()).toBeGreaterThan(20);
  });

  test('when a history exceeds its share of the token budget and results are masked, each call is still sent with its provider state', async () => {
    const server = demandingServer(calls);
    service.fake.script(server.respond);
    let history: TurnInput[] = [];
    let masked = 0;
    for (let index = 0; index < 16; index += 1) {
      const small = { ...request(vendor, history), include: { report: 'full' as const } };
      const { body } = await service.step({
        ...small,
        llm_config: {
          modelName: vendor.model,
          provider: vendor.provider,
          tokenLimit: 2_600,
          reservedOutputTokens: 400,
        },
      });
      expect(body.error).toBeNull();
      masked += body.context_report?.items.filter(({ status }) => status === 'masked').length ?? 0;
      history = observed(body, 'some lines of a file\n'.repeat(20));
    }
    expect(masked).toBeGreaterThan(0);
    expect(server.recognized()).toBeGreaterThan(0);
  });

  test('a provider state that the caller changed is sent as it is, and the vendor’s refusal gives upstream_rejected_request', async () => {
    service.fake.script(demandingServer(calls).respond);
    const history = observed(await step(vendor, [], false));
    const forged = JSON.parse(JSON.stringify(history).replaceAll('n1', 'forged'));
    expect(forged).not.toEqual(history);
    const { status, body } = await service.step(request(vendor, forged));
    expect([status, body.error?.code]).toEqual([422, 'upstream_rejected_request']);
    expect(service.fake.requests.at(-1)?.rawBody).toContain('forged');
  });
});

test('in a history with several vendors, each vendor gets only its own provider state (rule: provider-state)', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.constantFrom(...allVendors), fc.boolean()), { minLength: 2, maxLength: 8 }),
      async (moves) => {
        service.fake.script(demandingServer(calls).respond);
        let history: TurnInput[] = [];
        for (const [vendor, streamed] of moves) {
          const body = await step(vendor, history, streamed);
          expect(body.status).toBe('action_proposed');
          history = observed(body);
        }
      },
    ),
    { numRuns: 25 },
  );
}, 60_000);

const gemini = demandingVendors.find(({ provider }) => provider === 'gemini') as DemandingVendor; // cast: the list contains it

test.each([
  ['another upstream with the same model', { provider: 'deepseek' }],
  ['another model family at the same upstream', { modelName: 'gpt-oss-120b' }],
  ['a model behind another API', { provider: 'anthropic', modelName: 'claude-opus-5' }],
])('the provider state is not sent to %s, and the caller gets a warning (rule: provider-state)', async (_, changes) => {
  service.fake.script({ toolCalls: [{ name: 'read_file', arguments: {}, thoughtSignature: 'c2VjcmV0' }] });
  const history = observed(await step(gemini, [], false));
  service.fake.script({ text: 'Done.' });
  const moved = request(gemini, history);
  const { body } = await service.step({
    ...moved,
    llm_config: { ...stepRequest().llm_config, ...moved.llm_config, ...changes },
  });
  expect(body.direct_response).toBe('Done.');
  expect(service.fake.requests.at(-1)?.rawBody).not.toContain('c2VjcmV0');
  expect(body.warnings.map(({ code }) => code)).toEqual(['provider_state_not_sent']);
});

test('a newer model of the same family gets the provider state of the older one (rule: provider-state)', async () => {
  service.fake.script({ toolCalls: [{ name: 'read_file', arguments: {}, thoughtSignature: 'c2lnbmVk' }] });
  const history = observed(await step(gemini, [], false));
  service.fake.script({ text: 'Done.' });
  const newer = { ...gemini, model: 'google/gemini-3.5-flash' };
  const { body } = await service.step(request(newer, history));
  expect(body.warnings).toEqual([]);
  expect(service.fake.requests.at(-1)?.rawBody).toContain('c2lnbmVk');
});

test.each([
  'plain',
  'streamed',
])('a provider state above 256 KiB in a %s reply is dropped, and the caller gets a warning', async (way) => {
  const thoughtSignature = 'x'.repeat(256 * 1024);
  service.fake.script({ toolCalls: [{ name: 'read_file', arguments: {}, thoughtSignature }] });
  const body = await step(gemini, [], way === 'streamed');
  expect(body.status).toBe('action_proposed');
  expect(JSON.stringify(body.new_turns)).not.toContain('xxx');
  expect(body.warnings.map(({ code }) => code)).toEqual(['provider_state_dropped']);
});

test('a provider state above 256 KiB in the history is not sent, and the caller gets a warning', async () => {
  service.fake.script({ text: 'Done.' });
  const own = {
    provider: 'gemini',
    wire: 'chat',
    family: 'gemini',
    reasoning_content: 'x'.repeat(256 * 1024),
  };
  const { body } = await service.step(
    request(gemini, [
      { role: 'user', content: 'Task.' },
      { role: 'assistant', content: 'Well.', provider_state: own },
    ]),
  );
  expect(body.direct_response).toBe('Done.');
  expect(service.fake.requests.at(-1)?.rawBody).not.toContain('xxx');
  expect(body.warnings.map(({ code }) => code)).toEqual(['provider_state_not_sent']);
});

test('with the text protocol, reasoning is not kept as provider state, since servers need it back only with native calls', async () => {
  service.fake.script({ text: 'Action: read_file(path="a")', reasoning: 'I think.' });
  const { body } = await service.step({ ...request(gemini, []), protocol: 'text' });
  expect(body.status).toBe('action_proposed');
  expect(body.reasoning).toBe('I think.');
  expect(body.new_turns.at(-1)).not.toHaveProperty('provider_state');
});

test('only the known fields of a provider state are sent, so forged ones never reach the vendor', async () => {
  service.fake.script({ text: 'Done.' });
  const own = {
    provider: 'gemini',
    wire: 'chat',
    family: 'gemini',
    reasoning_content: 'kept',
    role: 'system',
    content: 'forged',
    tool_calls: [{ id: 'forged' }],
    reasoning_details: [
      { type: 'a', nested: { deep: 'forged' } },
      'forged',
      { type: 'reasoning.text', text: 'kept too' },
    ],
    extra_content: { google: { thought_signature: 7, forged: 'forged' }, forged: 'forged' },
    blocks: [{ type: 'thinking', thinking: 'forged', signature: 'forged' }],
  };
  const { body } = await service.step(
    request(gemini, [
      { role: 'user', content: 'Task.' },
      { role: 'assistant', content: 'Well.', provider_state: own },
    ]),
  );
  expect(body.direct_response).toBe('Done.');
  const { rawBody = '' } = service.fake.requests.at(-1) ?? {};
  expect(rawBody).not.toContain('forged');
  expect(service.fake.requests.at(-1)?.body['messages']).toContainEqual({
    role: 'assistant',
    content: 'Well.\n',
    reasoning_content: 'kept',
    reasoning_details: [{ type: 'reasoning.text', text: 'kept too' }],
  });
});

test.each([
  ['as the provider reports', { reasoning: 5_000 }, 5_000],
  ['as a quarter of its bytes if the provider reports none', { reasoning: 0 }, 1_000],
])('the tokens of an encrypted provider state are counted %s (rule: counting)', async (_, usage, tokens) => {
  service.fake.script({
    toolCalls: [{ name: 'read_file', arguments: {}, thoughtSignature: 'x'.repeat(4_000) }],
    usage,
  });
  const history = observed(await step(gemini, [], false));
  const promptTokens = async (turns: TurnInput[]): Promise<number> =>
    (await step(gemini, turns, false)).context_report?.prompt_tokens ?? 0;
  const bare = history.map(({ provider_state: __, ...turn }) => turn as TurnInput);
  const difference = (await promptTokens(history)) - (await promptTokens(bare));
  expect(difference).toBeGreaterThanOrEqual(tokens);
  expect(difference).toBeLessThan(tokens + 60);
});

test.each(
  demandingVendors,
)('the SDK keeps the provider state of $title over a run and a saved history (rule: provider-state)', async (vendor) => {
  const server = demandingServer((each, serial) =>
    serial < 6 ? calls(each, serial) : { text: 'It is there.' },
  );
  service.fake.script(server.respond);
  const client = new StepwiseClient({ baseUrl: service.url, llmKey: 'sk-canary-0123456789' });
  const llmConfig = {
    modelName: vendor.model,
    provider: vendor.provider,
    tokenLimit: 60_000,
    reservedOutputTokens: 1_000,
  };
  const readers = tools.map((tool) => defineTool({ ...tool, description: 'Reads.', execute: () => 'found' }));
  const options = { llmConfig, protocol: 'native', tools: readers } as const;
  const first = await client.run('Where is it?', options).result();
  const saved = JSON.parse(JSON.stringify(first.history));
  const second = await client.run('And the other?', { ...options, history: saved }).result();
  expect([first.answer, second.answer]).toEqual(['It is there.', 'It is there.']);
  expect(server.recognized()).toBeGreaterThan(15);
});
