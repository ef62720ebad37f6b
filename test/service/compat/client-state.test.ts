import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type ChatService, readFile, startChatService, user } from '../../support/compat.js';

let service: ChatService;
beforeAll(async () => {
  service = await startChatService();
});
afterAll(() => service.close());

const reply = {
  reasoning: 'I think of it.',
  toolCalls: [
    { id: 'call_1', name: 'read_file', arguments: { path: 'a' }, thoughtSignature: 'signed-by-the-model' },
  ],
};
const headers = { 'X-Stepwise-Protocol': 'native', 'X-LLM-API-Key': 'key-0123456789' };
const next = (message: object, model: string) => ({
  model,
  messages: [
    user('Look.'),
    message as never,
    { role: 'tool' as const, tool_call_id: 'call_1', content: 'text' },
  ],
  tools: [readFile],
});

test.each([
  'local/qwen3:8b',
  'anthropic/claude-sonnet-4-6',
])('provider state of %s that a client sends back reaches that provider unchanged (rule: compatible-state)', async (model) => {
  const { message } = await service.ask(reply, { model, tools: [readFile] }, headers);
  expect(message).toMatchObject({ reasoning_content: reply.reasoning });
  await service.ask({ text: 'done' }, next(message, model), headers);
  const sent = service.fake.requests.at(-1)?.rawBody ?? '';
  expect(sent).toContain(reply.reasoning);
  expect(sent).toContain(model.startsWith('local') ? 'signed-by-the-model' : '"signature"');
  expect(sent).not.toContain('stepwise-state');
});

test('the provider state of another upstream is not sent, and an invalid state is ignored (rule: compatible-state)', async () => {
  const model = 'local/qwen3:8b';
  const { message } = await service.ask(reply, { model, tools: [readFile] }, headers);
  await service.ask({ text: 'done' }, next(message, 'anthropic/claude-sonnet-4-6'), headers);
  expect(service.fake.requests.at(-1)?.rawBody).not.toContain('signed-by-the-model');
  const broken = {
    ...message,
    reasoning_details: [{ data: 'stepwise-state.%%%' }, 5, null],
    tool_calls: message.tool_calls?.map((call) => ({
      ...call,
      extra_content: { stepwise: { state: 'stepwise-state.e30' } },
    })),
  };
  expect((await service.ask({ text: 'done' }, next(broken, model), headers)).message.content).toBe('done');
});

test('a client that sends a call back without its provider state gets a warning in a header and in the report (rule: compatible-state)', async () => {
  const model = 'local/qwen3:8b';
  const { message, headers: first } = await service.ask(reply, { model, tools: [readFile] }, headers);
  const [call] = message.tool_calls ?? [];
  if (call?.type !== 'function') throw new Error('The answer has no call.');
  expect(first.get('x-stepwise-warnings')).toBeNull();
  const bare = { role: 'assistant', content: null, tool_calls: [{ ...call, extra_content: undefined }] };
  const reports = { ...headers, 'X-Stepwise-Report': 'full' };
  for (const [sent, code] of [
    [message, null],
    [bare, 'provider_state_missing'],
  ] as const) {
    const request = next(sent, model);
    const results = [{ role: 'tool' as const, tool_call_id: call.id, content: 'text' }];
    const asked = { ...request, messages: [...request.messages.slice(0, 2), ...results] };
    const answered = await service.ask({ text: 'done' }, asked, reports);
    expect(answered.headers.get('x-stepwise-warnings')).toBe(code);
    const { stepwise } = answered.completion as unknown as { stepwise: { warnings: { code: string }[] } };
    expect(stepwise.warnings.map((each) => each.code)).toEqual(code ? [code] : []);
    // The upstream receives the call id that it assigned.
    const body = service.fake.requests.at(-1)?.rawBody ?? '';
    expect(body).toContain('"tool_call_id":"call_1"');
  }
});

test('a streamed response contains the provider state of its calls', async () => {
  const { chunks } = await service.stream(reply, { tools: [readFile] }, headers);
  expect(JSON.stringify(chunks)).toContain('stepwise-state.');
});
