import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type FakeProvider, startFakeProvider } from '../../../src/offline/fake-provider.js';
import { collect, openaiAt, openaiRequest } from '../../support/clients.js';

let provider: FakeProvider;
beforeEach(async () => {
  provider = await startFakeProvider({ text: 'Final Answer: in pricing.js' });
});
afterEach(() => provider.close());

const create = () => openaiAt(provider.url).chat.completions.create(openaiRequest);
const stream = () =>
  openaiAt(provider.url).chat.completions.create({
    ...openaiRequest,
    stream: true,
    stream_options: { include_usage: true },
  });
const deltasOf = async () =>
  (await collect(await stream())).flatMap(({ choices }) => choices.map(({ delta }) => delta));

describe('Chat Completions through the openai SDK', () => {
  test('the openai SDK gets text, model, finish reason and usage of a plain completion', async () => {
    const completion = await create();
    expect(completion).toMatchObject({
      object: 'chat.completion',
      model: 'gpt-test',
      choices: [
        {
          finish_reason: 'stop',
          message: { role: 'assistant', content: 'Final Answer: in pricing.js', refusal: null },
        },
      ],
      usage: { prompt_tokens: 16, completion_tokens: 7, total_tokens: 23 },
    });
    expect(completion._request_id).toMatch(/^req_/);
  });

  test('the joined deltas of a Chat Completions stream are the text, and usage comes last', async () => {
    const chunks = await collect(await stream());
    const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta.content ?? ''));
    expect(deltas.join('')).toBe('Final Answer: in pricing.js');
    expect(deltas.length).toBeGreaterThan(3);
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { completion_tokens: 7 } });
    expect(chunks.at(-2)?.choices[0]?.finish_reason).toBe('stop');
  });

  test('a Chat Completions stream has usage only if stream_options.include_usage is set', async () => {
    const chunks = await collect(
      await openaiAt(provider.url).chat.completions.create({ ...openaiRequest, stream: true }),
    );
    expect(chunks.some((chunk) => 'usage' in chunk)).toBe(false);
  });

  test("the openai SDK's accumulator reads a Chat Completions stream", async () => {
    provider.script({
      text: 'Hello there',
      toolCalls: [{ name: 'read_file', arguments: { path: 'a b.js' } }],
    });
    const accumulated = openaiAt(provider.url).chat.completions.stream(openaiRequest);
    const completion = await accumulated.finalChatCompletion();
    expect(completion.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: 'Hello there',
        tool_calls: [{ function: { name: 'read_file', arguments: '{"path":"a b.js"}' } }],
      },
    });
  });

  test('a Chat Completions stream sends its deltas as scripted', async () => {
    provider.script({ chunks: ['Final', ' Ans', 'wer: 4', '2'] });
    expect((await deltasOf()).map(({ content }) => content)).toEqual([
      '',
      'Final',
      ' Ans',
      'wer: 4',
      '2',
      undefined,
    ]);
  });

  test('reasoning is sent in reasoning_content, plain and streamed', async () => {
    provider.script({ text: 'Yes.', reasoning: 'Let me think.' });
    expect((await create()).choices[0]?.message).toMatchObject({
      content: 'Yes.',
      reasoning_content: 'Let me think.',
    });
    const reasoning = (await deltasOf()).map((delta) =>
      'reasoning_content' in delta ? delta.reasoning_content : '',
    );
    expect(reasoning.join('')).toBe('Let me think.');
  });

  test('parallel tool calls of a Chat Completions answer keep their order, ids and arguments', async () => {
    const toolCalls = [
      { id: 'call_a', name: 'read_file', arguments: { path: 'a.js' } },
      { id: 'call_b', name: 'read_file', arguments: '{"path": broken' },
    ];
    provider.script({ text: null, toolCalls });
    const [choice] = (await create()).choices;
    expect(choice).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: null,
        tool_calls: [
          { id: 'call_a', type: 'function', function: { name: 'read_file', arguments: '{"path":"a.js"}' } },
          { id: 'call_b', type: 'function', function: { name: 'read_file', arguments: '{"path": broken' } },
        ],
      },
    });
    const calls = (await deltasOf()).flatMap(({ tool_calls = [] }) => tool_calls);
    const argumentsOf = (index: number) =>
      calls.filter((call) => call.index === index).map((call) => call.function?.arguments);
    expect(argumentsOf(0).join('')).toBe('{"path":"a.js"}');
    expect(argumentsOf(1).join('')).toBe('{"path": broken');
  });

  test('a Chat Completions answer can have a refusal, empty or null content', async () => {
    provider.script([{ refusal: 'I cannot.' }, { text: '' }, { text: null }]);
    expect((await create()).choices[0]?.message).toMatchObject({ content: null, refusal: 'I cannot.' });
    expect((await create()).choices[0]?.message.content).toBe('');
    expect((await create()).choices[0]?.message.content).toBeNull();
  });

  test('finish reason and usage of a Chat Completions answer are sent as scripted', async () => {
    const usage = { input: 1000, output: 20, cachedInput: 900, reasoning: 12 };
    provider.script([
      { text: 'a', finishReason: 'length', usage },
      { text: 'b', finishReason: 'eos' },
    ]);
    const first = await create();
    expect(first.choices[0]?.finish_reason).toBe('length');
    expect(first.usage).toMatchObject({
      prompt_tokens: 1000,
      total_tokens: 1020,
      prompt_tokens_details: { cached_tokens: 900 },
      completion_tokens_details: { reasoning_tokens: 12 },
    });
    expect((await create()).choices[0]?.finish_reason).toBe('eos');
  });

  test("the openai SDK can list the fake provider's models", async () => {
    const models = await collect(await openaiAt(provider.url).models.list());
    expect(models.map(({ id }) => id)).toEqual(['offline']);
  });
});
