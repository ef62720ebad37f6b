import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { ScriptedReply } from '../../src/offline/wire/reply.js';
import { assertIsComponent, breaches } from '../support/contract-check.js';
import { type StrictAnswer, type StrictTurn, strictStep, type Transport } from '../support/strict-client.js';
import {
  llmConfig,
  startWholeService,
  stepRequest,
  type VendorName,
  vendors,
  type WholeService,
} from '../support/whole-service.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService();
});
afterAll(() => service.close());

const include = { extensions: false } as const;
const inputSchema = { type: 'object', properties: { path: { type: 'string' } } };
const tools = [{ name: 'read_file', inputSchema }];
const transports: Transport[] = ['plain', 'streamed'];
const vendorNames = Object.keys(vendors) as VendorName[];

/** Makes one step with a reply of the model. */
function stepWith(
  reply: ScriptedReply,
  transport: Transport,
  changes: Readonly<Record<string, unknown>>,
): Promise<StrictAnswer> {
  service.fake.script(reply);
  return strictStep(service.url, transport, { tools, ...changes });
}

describe.each(
  vendorNames.flatMap((vendor) => transports.map((transport) => ({ vendor, transport }))),
)('a strict client makes a whole $transport run with $vendor (rule: source-fields)', ({
  vendor,
  transport,
}) => {
  test(`a client that knows only the source fields reads every answer of a ${transport} run with ${vendor}, and the service accepts each history that it sends back`, async () => {
    let history: StrictTurn[] = [];
    let user_query = 'Which port does the server use?';
    const next = async (reply: ScriptedReply, changes: Readonly<Record<string, unknown>> = {}) => {
      const sent = { llm_config: llmConfig(vendor), user_query, conversation_history: history, ...changes };
      const answer = await stepWith(reply, transport, sent);
      expect(answer.body.updated_conversation_history.slice(0, history.length)).toEqual(history);
      history = answer.body.updated_conversation_history;
      if (answer.body.status !== 'error') user_query = '';
      return answer;
    };
    const failed = { status: 'error', thought: null, action_details: null, direct_response: null };

    // A failed first step returns the history unchanged.
    const limited = await next({ fault: 'rate-limited' });
    expect(limited.body).toMatchObject({ ...failed, error: { code: 'upstream_rate_limited' } });
    expect(limited.status).toBe(transport === 'plain' ? 429 : 200);
    expect(history).toEqual([]);

    const acted = await next({ text: 'Thought: I look.\nAction: read_file(path="a.ts")' });
    expect(acted.body).toMatchObject({
      status: 'action_proposed',
      thought: 'I look.',
      action_details: {
        tool_name: 'read_file',
        tool_args: { path: 'a.ts' },
        raw_action_string: 'Action: read_file(path="a.ts")',
      },
      direct_response: null,
      iterations_remaining: 4,
    });
    expect(history.at(-1)).toEqual({
      role: 'assistant',
      content: 'I look.',
      timestamp: expect.any(String),
      toolCall: { name: 'read_file', parameters: { path: 'a.ts' } },
    });

    history.push({
      role: 'tool_observation',
      content: 'const port = 8080;',
      timestamp: '2026-11-23T09:30:00.000Z',
      toolResult: { success: true, result: 'const port = 8080;' },
    });
    const silent = { text: 'Final Answer: late', delayMs: 60_000 };
    const late = await next(silent, { llm_config: { ...llmConfig(vendor), deadlineMs: 300 } });
    expect(late.body).toMatchObject({ ...failed, error: { code: 'upstream_timeout' } });

    const malformed = await next({ text: 'Thought: hm\nAction: read_file(path="b' });
    expect(malformed.body).toMatchObject({
      status: 'direct_response_provided',
      thought: null,
      action_details: null,
    });
    expect(malformed.body.direct_response).toContain('read_file(path="b');

    const exhausted = await next({ text: 'unused' }, { max_iterations_left: 0 });
    expect(exhausted).toMatchObject({
      status: 200,
      body: { ...failed, iterations_remaining: 0, error: { code: 'iterations_exhausted' } },
    });

    user_query = 'Answer now.';
    const answered = await next({ text: 'Thought: I know.\nFinal Answer: It is 8080.' });
    expect(answered.body).toMatchObject({
      status: 'direct_response_provided',
      thought: 'I know.',
      direct_response: 'It is 8080.',
    });
    expect(history.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool_observation',
      'assistant',
      'user',
      'assistant',
    ]);
    const prompt = service.fake.requests.at(-1)?.rawBody ?? '';
    for (const part of ['read_file(path=', 'const port = 8080;', 'Answer now.']) {
      expect(prompt).toContain(JSON.stringify(part).slice(1, -1));
    }
  });
});

/** Fragments of replies: labels, calls in the form of each protocol, reasoning tags, plain text. */
const fragment = fc.constantFrom(
  'Thought: ',
  'Action: read_file(path="a")',
  'Action: remove_all()',
  'Action: read_file(path="a',
  'Final Answer: ',
  '<tool_code><name>read_file</name><parameters>{"path":"a"}</parameters></tool_code>',
  '<final_answer>',
  '</final_answer>',
  '{"thought":"","action":{"tool":"read_file","args":{"path":"a"}}}',
  '{"thought":"","final_answer":"Yes."}',
  '<think>',
  '</think>',
  'Observation: made up',
  '```',
  'plain words ',
  ' ',
  '\n',
);

const reply = fc.record({
  text: fc.array(fragment, { maxLength: 6 }).map((fragments) => fragments.join('')),
  finishReason: fc.constantFrom('stop', 'length', 'refusal'),
  toolCalls: fc.constantFrom(
    [],
    [{ name: 'read_file', arguments: { path: 'a' } }],
    [
      { name: 'read_file', arguments: { path: 'a' } },
      { name: 'read_file', arguments: { path: 'b' } },
    ],
    [{ name: 'read_file', arguments: '{"path":' }],
  ),
});

test('a step without extensions has exactly the source fields and no empty thought, whatever the model writes, and its history can be sent back (rule: source-fields)', async () => {
  await fc.assert(
    fc.asyncProperty(
      reply,
      fc.constantFrom('text', 'xml', 'json', 'auto'),
      fc.constantFrom(...vendorNames),
      fc.constantFrom(...transports),
      fc.constantFrom(1, 3),
      async (scripted, protocol, vendor, transport, max_iterations_left) => {
        const changes = { protocol, llm_config: llmConfig(vendor), max_iterations_left };
        const first = await stepWith(scripted, transport, changes);
        const conversation_history = first.body.updated_conversation_history;
        const again = await stepWith({ text: 'Final Answer: 42' }, transport, {
          ...changes,
          user_query: 'And now?',
          conversation_history,
        });
        expect(again.body.error).toBeUndefined();
      },
    ),
    { numRuns: 80 },
  );
});

test.each(
  transports,
)('a %s answer without extensions is a SourceStep of openapi.yaml, for actions, answers and failures', async (transport) => {
  const replies: ScriptedReply[] = [
    { text: 'Action: read_file(path="a")' },
    { text: 'Final Answer: 42' },
    { fault: 'rate-limited' },
    { refusal: 'No.' },
  ];
  for (const each of replies) {
    const { body } = await stepWith(each, transport, {});
    assertIsComponent('SourceStep', body);
    if (body.status === 'error') expect(breaches('ErrorResponse', body)).toBe('');
  }
});

test('a stream without extensions still has the events before step.completed', async () => {
  const { events } = await stepWith({ text: 'Thought: So.\nAction: read_file(path="a")' }, 'streamed', {});
  expect([...new Set(events.map(({ event }) => event))]).toEqual([
    'step.started',
    'context.built',
    'thought.delta',
    'action.proposed',
    'step.completed',
  ]);
});

describe.each(transports)('%s requests that need extensions', (transport) => {
  test.each([
    ['protocol', { protocol: 'native' }],
    ['phase', { phase: 'act' }],
    ['phase', { phase: 'observe', max_iterations_left: 1 }],
  ])(`with include.extensions: false, a ${transport} step with a field that needs extensions fails with 400 and a detail that names the field: %s %j`, async (field, changes) => {
    const calls = service.fake.requests.length;
    const { status, body } = await stepWith({ text: 'unused' }, transport, changes);
    expect(status).toBe(400);
    expect(body.error).toMatchObject({ code: 'invalid_request', details: [{ path: field }] });
    expect(service.fake.requests).toHaveLength(calls);
  });
});

test.each(vendorNames)('without extensions, auto never chooses native calling with %s', async (vendor) => {
  const changes = { llm_config: llmConfig(vendor), protocol: 'auto' } as const;
  await stepWith({ text: 'Final Answer: 42' }, 'plain', changes);
  expect(service.fake.requests.at(-1)?.body).not.toHaveProperty('tools');
  await service.step({ tools, ...changes });
  expect(service.fake.requests.at(-1)?.body).toHaveProperty('tools');
});

test.each(
  transports,
)('without extensions, a %s step proposes one action at most, and its history has this action only', async (transport) => {
  const toolCalls = ['a', 'b'].map((path) => ({ name: 'read_file', arguments: { path } }));
  const { body } = await stepWith({ toolCalls }, transport, {});
  expect(body.action_details?.tool_args).toEqual({ path: 'a' });
  expect(body.updated_conversation_history.map(({ toolCall }) => toolCall?.parameters)).toEqual([
    undefined,
    { path: 'a' },
  ]);
});

test('without extensions, turns of the caller come back as sent, with every field', async () => {
  service.fake.script({ text: 'Final Answer: 42' });
  const conversation_history = [
    { role: 'user' as const, content: 'Why?', author: 'Ada' },
    { role: 'assistant' as const, content: '', toolCall: { name: 'read_file', parameters: {}, id: 'x' } },
    { role: 'tool_observation' as const, content: 'a', toolCallId: 'x', toolResult: { success: true } },
    { role: 'user' as const, content: 'No.', kind: 'notice' as const },
  ];
  const { body } = await service.step({ include, tools, conversation_history });
  expect(body.updated_conversation_history?.slice(0, 4)).toEqual(conversation_history);
});

test('with `include.history: false` and no extensions, the returned history is null, even after a failure', async () => {
  const changes = { include: { ...include, history: false } };
  service.fake.script([{ text: 'Final Answer: 42' }, { fault: 'rate-limited' }]);
  expect((await service.step(changes)).body).toMatchObject({
    direct_response: '42',
    updated_conversation_history: null,
  });
  expect((await service.step(changes)).body).toMatchObject({
    status: 'error',
    updated_conversation_history: null,
  });
});

test('without extensions, a validation error has only the source fields, all null except status and error', async () => {
  const { status, body } = await service.step({ include, max_iterations_left: -1 });
  expect(status).toBe(400);
  expect(body).toEqual({
    session_id: null,
    thought: null,
    action_details: null,
    direct_response: null,
    updated_conversation_history: null,
    iterations_remaining: null,
    status: 'error',
    error: expect.objectContaining({ code: 'invalid_request' }),
  });
});

test('malformed JSON gives the complete error body, although the caller declined the extensions', async () => {
  const response = await fetch(`${service.url}/api/agent/react_step`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: `${JSON.stringify({ ...stepRequest(), include })}}`,
  });
  const body = await response.json();
  expect(response.status).toBe(400);
  assertIsComponent('ErrorResponse', body);
});

test('without extensions, a preview returns its complete response and refuses what the step would refuse', async () => {
  const request = { ...stepRequest({ tools, protocol: 'auto' }), include };
  const preview = await service.post('/api/agent/context_preview', request);
  expect(preview.body).toMatchObject({ native_tools: [], warnings: [] });
  const refused = await service.post('/api/agent/context_preview', { ...request, protocol: 'native' });
  expect(refused.body.error?.details).toMatchObject([{ path: 'protocol', code: 'extensions_required' }]);
});

test('a compaction ignores include.extensions and warns about it', async () => {
  const { project_id, session_id, llm_config } = stepRequest();
  const { status, body } = await service.post('/api/agent/compact_history', {
    ...{ project_id, session_id, llm_config, include },
    ...{ conversation_history: [], target_tokens: 100, strategy: 'mask' },
  });
  expect(status).toBe(200);
  expect(body.warnings).toMatchObject([{ code: 'unknown_field' }]);
});
