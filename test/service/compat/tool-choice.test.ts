import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { startWholeService, type WholeService } from '../../support/whole-service.js';
import { askerOf, keylessUpstreams, wireNames } from '../../support/wires.js';

let service: WholeService;
let ask: ReturnType<typeof askerOf>;
beforeAll(async () => {
  const { chat: local, responses, messages } = keylessUpstreams;
  const strict = { ...local, structured: 'json_schema' };
  const llama = { ...local, structured: 'llama' };
  const upstreams = { local, strict, llama, responses, messages };
  service = await startWholeService({}, { UPSTREAMS: JSON.stringify(upstreams) });
  ask = askerOf(service);
});
afterAll(() => service.close());

const schema = { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] };
const tools = [
  { name: 'read.file', schema },
  { name: 'list', schema },
];
const native = { 'X-Stepwise-Protocol': 'native', 'X-Stepwise-Report': 'full' };
const named = { name: 'read.file' };
const lastBody = () => service.fake.requests.at(-1)?.body ?? {};
const call = { toolCalls: [{ name: 'read_file', arguments: { path: 'a' } }] };

/** For each upstream API, the values of `tool_choice` that require a call of any tool, and of the tool `read_file`. */
const demands = [
  ['local', 'required', { type: 'function', function: { name: 'read_file' } }],
  ['responses', 'required', { type: 'function', name: 'read_file' }],
  ['messages', { type: 'any' }, { type: 'tool', name: 'read_file' }],
] as const;

describe.each(
  wireNames,
)('a tool choice that requires a call, sent by a client of %s (rule: client-terms)', (wire) => {
  test.each(
    demands,
  )(`with native calling, a required call is passed on as tool_choice in the format of the upstream: ${wire} → %s, plain and streamed`, async (upstream, any, one) => {
    for (const streamed of [false, true]) {
      service.fake.script(call);
      const request = { text: 'Look.', tools, model: `${upstream}/m`, headers: native };
      const { calls } = await ask(wire, { ...request, toolChoice: 'required' }, streamed);
      expect(calls).toEqual([{ name: 'read.file', args: { path: 'a' } }]);
      expect(lastBody()['tool_choice']).toEqual(any);
      await ask(wire, { ...request, toolChoice: named }, streamed);
      expect(lastBody()['tool_choice']).toEqual(one);
      await ask(wire, request, streamed);
      expect(lastBody()['tool_choice']).toEqual(upstream === 'messages' ? { type: 'auto' } : 'auto');
    }
  });

  test.each([
    'strict',
    'llama',
  ])(`if a call is required, the schema that the upstream gets allows no final answer: ${wire} → %s`, async (upstream) => {
    const text = JSON.stringify({ thought: 't', action: { tool: 'read.file', args: { path: 'a' } } });
    service.fake.script({ text });
    const request = { text: 'Look.', tools, model: `${upstream}/m` };
    const sent = () => JSON.stringify(lastBody()['response_format']);
    const free = await ask(wire, request);
    expect(free.calls).toHaveLength(1);
    expect(sent()).toContain('final_answer');
    expect((await ask(wire, { ...request, toolChoice: 'required' })).calls).toHaveLength(1);
    expect(sent()).not.toContain('final_answer');
    expect(sent()).toContain('"list"');
    expect((await ask(wire, { ...request, toolChoice: named })).calls).toHaveLength(1);
    expect(sent()).not.toMatch(/final_answer|"list"/);
  });
});

test.each([
  ['chat', { allowed_tools: { mode: 'auto', tools: [{ type: 'function', function: { name: 'list' } }] } }],
  ['responses', { mode: 'auto', tools: [{ type: 'function', name: 'list' }] }],
] as const)('only the tools in the list of `allowed_tools` are offered to the model: %s (rules: chat-requests, responses-requests)', async (wire, choice) => {
  service.fake.script({ text: 'Done.' });
  const fields = { tool_choice: { type: 'allowed_tools', ...choice } };
  await ask(wire, { text: 'Look.', tools, model: 'local/m', headers: native, fields });
  expect(lastBody()['tools']).toMatchObject([{ function: { name: 'list' } }]);
  expect(lastBody()['tools']).toHaveLength(1);
});

test.each([
  ['responses', { type: 'web_search' }, { type: 'web_search' }],
  ['responses', { type: 'web_search' }, { type: 'function', name: 'web_search' }],
  ['messages', { type: 'web_search_20250305', name: 'web_search' }, { type: 'tool', name: 'web_search' }],
] as const)('if the tool choice names a hosted tool, the error says that hosted tools cannot be chosen: %s, %j', async (wire, tool, choice) => {
  const fields = { tools: [tool], tool_choice: choice };
  const answer = ask(wire, { text: 'Look.', model: 'local/m', fields });
  await expect(answer).rejects.toThrow('hosted tools cannot be chosen');
});

const other = { name: 'list', arguments: { path: 'b' } };
const wanted = { name: 'read_file', arguments: { path: 'a' } };

test.each(
  wireNames,
)('if a tool choice names one tool, only calls of that tool reach the client, whatever else the reply calls, and without a correction: %s (rule: client-terms)', async (wire) => {
  for (const toolCalls of [
    [other, wanted],
    [wanted, other],
  ]) {
    service.fake.script([{ toolCalls }, { text: 'not asked for' }]);
    const before = service.fake.requests.length;
    const request = { text: 'Look.', tools, model: 'local/m', headers: native, toolChoice: named };
    const { calls } = await ask(wire, request);
    expect(calls).toEqual([{ name: 'read.file', args: { path: 'a' } }]);
    expect(service.fake.requests.length - before).toBe(1);
  }
});

test.each(
  wireNames,
)('if a tool choice names one tool and the model calls another even after the correction, the client gets only the text: %s (rules: client-terms, compatible-corrections)', async (wire) => {
  const asText = { 'X-Stepwise-Protocol': 'text' };
  for (const [headers, reply] of [
    [native, { text: 'I list.', toolCalls: [other] }],
    [asText, { text: 'Thought: I list.\nAction: list(path="b")' }],
  ] as const)
    for (const streamed of [false, true]) {
      service.fake.script(reply);
      const before = service.fake.requests.length;
      const request = { text: 'Look.', tools, model: 'local/m', headers, toolChoice: named };
      const { calls, text, end } = await ask(wire, request, streamed);
      expect([calls, text]).toEqual([[], 'I list.']);
      expect(['stop', 'completed', 'end_turn']).toContain(end);
      expect(service.fake.requests.length - before).toBe(2);
    }
});

test('a tool_choice that an upstream refuses is omitted from the second request and from later steps, with a warning; the prompt still asks for a call', async () => {
  const request = {
    text: 'Look.',
    tools,
    model: 'local/refuses',
    toolChoice: 'required',
    headers: native,
  } as const;
  const before = service.fake.requests.length;
  service.fake.script(({ body }) =>
    body['tool_choice'] === 'required' ? { fault: 'unsupported-parameter', parameter: 'tool_choice' } : call,
  );
  for (const requests of [2, 3]) {
    const { calls, stepwise } = await ask('chat', request);
    expect(calls).toHaveLength(1);
    expect(stepwise?.warnings.map(({ code }) => code)).toContain('tool_choice_dropped');
    expect(service.fake.requests.length - before).toBe(requests);
  }
  expect(service.fake.requests.at(-1)?.rawBody).toContain('Reply with a call of one of the tools now');
});

test('tool_choice `required` is replaced by `auto`, with a warning, for an Anthropic model with thinking, which would refuse it', async () => {
  service.fake.script(call);
  const { stepwise } = await ask('messages', {
    text: 'Look.',
    tools,
    model: 'anthropic/claude-sonnet-4-6',
    toolChoice: 'required',
    headers: { ...native, 'X-LLM-API-Key': 'key-0123456789' },
    fields: { output_config: { effort: 'high' } },
  });
  expect(lastBody()).toMatchObject({ tool_choice: { type: 'auto' }, thinking: { type: 'adaptive' } });
  expect(stepwise?.warnings.map(({ code }) => code)).toContain('tool_choice_dropped');
});
