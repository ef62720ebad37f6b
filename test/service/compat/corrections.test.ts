import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ProviderError } from '../../../src/service/step/provider.js';
import type { StepResult } from '../../../src/service/step/react-step.js';
import {
  type ChatService,
  failure,
  readFile,
  startChatService,
  textModel,
  user,
} from '../../support/compat.js';
import { answered, startTestService } from '../../support/test-service.js';

let service: ChatService;
beforeAll(async () => {
  service = await startChatService();
});
afterAll(() => service.close());

const tools = [readFile];
const unreadable = { text: 'I look first.\nAction: read_file(path="a' };
const good = { text: 'Thought: again\nAction: read_file(path="b")' };
const asked = () => service.fake.requests.length;

test('a reply that cannot be parsed is corrected in one more step, and the usage of both steps is added up (rule: compatible-corrections)', async () => {
  const before = asked();
  const script = [
    { ...unreadable, usage: { input: 100, output: 10 } },
    { ...good, usage: { input: 120, output: 12 } },
  ];
  const { message, calls, completion } = await service.ask(script, { tools });
  expect(asked() - before).toBe(2);
  expect(message.content).toBe('again');
  expect(calls).toMatchObject([{ args: { path: 'b' } }]);
  expect(completion.usage).toMatchObject({ prompt_tokens: 220, completion_tokens: 22 });
  expect(service.fake.requests.at(-1)?.rawBody).toContain('Your action could not be read');
});

/** Counts that the upstream does not report: JSON has no NaN, so the field is null. */
const unreported = { input: Number.NaN, output: Number.NaN };

test('without usage of the upstream, the service’s own count of a reply includes the arguments of its calls (rule: chat-answers)', async () => {
  const toolCalls = [{ id: 'c', name: 'read_file', arguments: { path: 'a'.repeat(4_000) } }];
  const { completion, headers } = await service.ask(
    { text: '', toolCalls, usage: unreported },
    { tools },
    { 'X-Stepwise-Protocol': 'native' },
  );
  expect(completion.usage?.prompt_tokens).toBe(Number(headers.get('x-stepwise-prompt-tokens')));
  expect(completion.usage?.completion_tokens).toBeGreaterThan(1_000);
  expect(completion.usage?.completion_tokens).toBeLessThan(1_100);
});

test('a step whose usage the upstream does not report is added to the sum with the service’s own count (rule: compatible-corrections)', async () => {
  const script = [
    { ...unreadable, usage: unreported },
    { ...good, usage: { input: 120, output: 12 } },
  ];
  const { completion, headers } = await service.ask(script, { tools });
  expect(completion.usage?.prompt_tokens).toBe(Number(headers.get('x-stepwise-prompt-tokens')) + 120);
  expect(completion.usage?.completion_tokens).toBe(Math.ceil(unreadable.text.length / 4) + 12);
});

test('a stream with a correction sends the first step’s text, a blank line and the second step’s text', async () => {
  const { text, calls } = await service.stream([unreadable, good], { tools });
  expect(text).toBe('I look first.\n\nagain');
  expect(calls).toMatchObject([{ args: { path: 'b' } }]);
});

test.each([
  false,
  true,
])('the text of the first reply is the answer if the reply to the correction is unreadable too (streamed: %s)', async (streamed) => {
  const script = [unreadable, { text: 'Worse.\nAction: read_file(path="c' }];
  const text = streamed
    ? (await service.stream(script, { tools })).text
    : (await service.ask(script, { tools })).message.content;
  expect(text).toBe(unreadable.text);
});

test.each([
  ['0', 1],
  ['1', 2],
  ['2', 3],
])('X-Stepwise-Corrections: %s allows %s model calls in total (rule: compatible-headers)', async (corrections, calls) => {
  const before = asked();
  await service.ask(() => unreadable, { tools }, { 'X-Stepwise-Corrections': corrections });
  expect(asked() - before).toBe(calls);
});

test('an empty reply is corrected once, and a second empty reply becomes an empty message', async () => {
  const before = asked();
  const { message, finish } = await service.ask([{ text: '' }, { text: ' ' }], { tools });
  expect([message.content, finish, asked() - before]).toEqual(['', 'stop', 2]);
  expect((await service.ask([{ text: '' }, { text: 'Final Answer: now' }], { tools })).message.content).toBe(
    'now',
  );
});

test('if the provider fails during the correction, the first reply is the answer', async () => {
  const { message } = await service.ask([unreadable, { fault: 'rate-limited' }], { tools });
  expect(message.content).toBe(unreadable.text);
});

test.each([
  ['a bug of the service', new TypeError('x is not a function'), 1],
  ['a failure of the provider', new ProviderError('failed', { provider: 'test' }), 0],
])('if a correction ends by %s, the first reply is the answer; only a bug is logged as an error', async (_, failure, bugs) => {
  const correction = { role: 'user', kind: 'notice', content: 'Write it again.' } as const;
  const steps: (() => Promise<StepResult>)[] = [
    async () => ({ ...answered, correction }),
    () => Promise.reject(failure),
  ];
  const { url, log, close } = await startTestService({
    step: () => steps.shift()?.() ?? Promise.reject(new Error('one step too many')),
  });
  const answer = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ model: 'open', messages: [user('Look.')], tools }),
  });
  expect(await answer.json()).toMatchObject({ choices: [{ message: { content: '42' } }] });
  await close();
  expect(steps).toEqual([]);
  expect(log.filter(({ bug }) => bug !== undefined)).toHaveLength(bugs);
});

test.each([
  ['X-Stepwise-Corrections', '3'],
  ['X-Stepwise-Protocol', 'yaml'],
  ['X-Stepwise-Token-Limit', '0'],
  ['X-Stepwise-Token-Limit', 'many'],
  ['X-Stepwise-Report', 'some'],
])('the header %s: %s is rejected with an error that names the header (rule: compatible-headers)', async (name, value) => {
  const error = await failure(service.ask({ text: 'x' }, {}, { [name]: value }));
  expect(error).toMatchObject({ status: 400, code: 'invalid_request', param: name });
});

test('X-Stepwise-Protocol and X-Stepwise-Token-Limit override the settings of the model (rule: compatible-headers)', async () => {
  await service.ask(
    { text: '<final_answer>x</final_answer>' },
    { tools },
    { 'X-Stepwise-Protocol': 'xml', 'X-Stepwise-Token-Limit': '8000' },
  );
  expect(service.fake.requests.at(-1)?.rawBody).toContain('<tool_code>');
  expect(service.fake.requests.at(-1)?.body['max_tokens']).toBe(2_000);
});

test('the prompt cache key stays the same while a conversation grows, and differs between conversations (rule: compatible-identity)', async () => {
  const keyOf = async (...messages: Parameters<typeof user>[0][]) => {
    const client = service.client;
    service.fake.script({ text: 'x' });
    await client.chat.completions.create(
      { model: 'openai/gpt-4o', messages: messages.map(user) },
      { headers: { 'X-LLM-API-Key': 'key-0123456789' } },
    );
    return service.fake.requests.at(-1)?.body['prompt_cache_key'];
  };
  const first = await keyOf('one');
  expect(first).toMatch(/^[\da-f]{8}-[\da-f]{4}-8[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/);
  expect(await keyOf('one', 'two')).toBe(first);
  expect(await keyOf('three')).not.toBe(first);
});

test('an output limit above half of the context window is lowered to half of it, so that the prompt fits (rule: compatible-budget)', async () => {
  await service.ask({ text: 'x' }, { max_tokens: 32_000 });
  expect(service.fake.requests.at(-1)?.body['max_tokens']).toBe(16_384);
});

test('a history that exceeds the budget is shortened if there are tools, and a header counts the items that were left out (rule: compatible-report)', async () => {
  const calls = Array.from({ length: 30 }, (_, index) => [
    {
      role: 'assistant' as const,
      tool_calls: [
        {
          id: `c${index}`,
          type: 'function' as const,
          function: { name: 'read_file', arguments: `{"path":"${index}"}` },
        },
      ],
    },
    { role: 'tool' as const, tool_call_id: `c${index}`, content: 'word '.repeat(300) },
  ]).flat();
  const request = { messages: [user('Look.'), ...calls], tools };
  const { headers } = await service.ask({ text: 'Final Answer: x' }, request, {
    'X-Stepwise-Token-Limit': '4000',
  });
  expect(Number(headers.get('x-stepwise-left-out'))).toBeGreaterThan(10);
  expect(Number(headers.get('x-stepwise-prompt-tokens'))).toBeLessThanOrEqual(3_000);
});

test.each([
  true,
  false,
])('a prompt without tools that exceeds the token limit fails with context_length_exceeded, and no request is sent to the provider (streamed: %s) (rule: compatible-errors)', async (stream) => {
  const request = { model: textModel, messages: [user('word '.repeat(3_000)), user('x')], stream };
  const before = asked();
  const error = await failure(
    service.client.chat.completions.create(request, { headers: { 'X-Stepwise-Token-Limit': '2000' } }),
  );
  expect(error).toMatchObject({
    status: 400,
    code: 'context_length_exceeded',
    type: 'invalid_request_error',
  });
  expect(error.message).toMatch(/1500 tokens.* \d{4} tokens/);
  expect(asked()).toBe(before);
});
