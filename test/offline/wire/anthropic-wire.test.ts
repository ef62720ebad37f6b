import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type FakeProvider, startFakeProvider } from '../../../src/offline/fake-provider.js';
import { anthropicAt, anthropicRequest, collect } from '../../support/clients.js';

let provider: FakeProvider;
beforeEach(async () => {
  provider = await startFakeProvider({ text: 'Final Answer: in pricing.js' });
});
afterEach(() => provider.close());

const create = () => anthropicAt(provider.url).messages.create(anthropicRequest);
const accumulate = () => anthropicAt(provider.url).messages.stream(anthropicRequest).finalMessage();
const events = async () =>
  collect(await anthropicAt(provider.url).messages.create({ ...anthropicRequest, stream: true }));

describe('Messages through the Anthropic SDK', () => {
  test('the Anthropic SDK gets text, model, stop reason and usage of a plain message, and sends its key as a bearer token', async () => {
    const message = await create();
    expect(message).toMatchObject({
      type: 'message',
      role: 'assistant',
      model: 'claude-test',
      stop_reason: 'end_turn',
      content: [{ type: 'text', text: 'Final Answer: in pricing.js' }],
      usage: { input_tokens: 16, output_tokens: 7, cache_read_input_tokens: 0 },
    });
    expect(message._request_id).toMatch(/^req_/);
    expect(provider.requests[0]?.headers['authorization']).toBe('Bearer sk-ant-test-key');
  });

  test('a Messages stream has its events in the documented order', async () => {
    provider.script({ chunks: ['Hello', ' there'] });
    expect((await events()).map(({ type }) => type)).toEqual([
      'message_start',
      'content_block_start',
      'content_block_delta',
      'content_block_delta',
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
  });

  test('a Messages stream contains a ping, which the SDK hides', async () => {
    const response = await anthropicAt(provider.url)
      .messages.create({ ...anthropicRequest, stream: true })
      .asResponse();
    expect(await response.text()).toContain('event: ping\ndata: {"type":"ping"}\n\n');
  });

  test.each([
    { title: 'text', reply: { text: 'Final Answer: 42' } },
    { title: 'thinking with its signature, then text', reply: { reasoning: 'Let me think.', text: 'Yes.' } },
    {
      title: 'parallel tool use',
      reply: {
        toolCalls: [
          { id: 'toolu_a', name: 'read_file', arguments: { path: 'a b.js', start_line: 3 } },
          { id: 'toolu_b', name: 'list_files', arguments: {} },
        ],
      },
    },
    { title: 'no content', reply: { text: null } },
    { title: 'a refusal', reply: { refusal: 'I cannot.' } },
    { title: 'a cut-off text', reply: { text: 'Thought: I', finishReason: 'length' } },
  ])('the accumulated Messages stream equals the plain message: $title', async ({ reply }) => {
    provider.script(reply);
    const { content, stop_reason, stop_details, usage } = await create();
    const streamed = await accumulate();
    expect(streamed).toMatchObject({ content, stop_reason, stop_details });
    expect(streamed.usage.output_tokens).toBe(usage.output_tokens);
  });

  test('reasoning is sent as a separate, signed thinking block', async () => {
    provider.script({ reasoning: 'Let me think.', text: 'Yes.' });
    expect((await create()).content).toEqual([
      { type: 'thinking', thinking: 'Let me think.', signature: expect.stringMatching(/^[\w+/]{43}=$/) },
      { type: 'text', text: 'Yes.', citations: null },
    ]);
  });

  test('Messages stop reasons are mapped for tool use, refusal and length; others are sent unchanged', async () => {
    provider.script([
      { toolCalls: [{ name: 'read_file', arguments: {} }] },
      { refusal: 'I cannot.' },
      { text: 'a', finishReason: 'length' },
      { text: 'a', finishReason: 'pause_turn' },
    ]);
    expect((await create()).stop_reason).toBe('tool_use');
    expect(await create()).toMatchObject({
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', explanation: 'I cannot.' },
    });
    expect((await create()).stop_reason).toBe('max_tokens');
    expect((await create()).stop_reason).toBe('pause_turn');
  });

  test('input_tokens of a Messages answer exclude tokens read from and written to the cache', async () => {
    provider.script({ text: 'a', usage: { input: 1000, cachedInput: 700, cacheWrite: 200 } });
    expect((await create()).usage).toMatchObject({
      input_tokens: 100,
      cache_read_input_tokens: 700,
      cache_creation_input_tokens: 200,
    });
  });

  test("the Anthropic SDK can list the fake provider's models", async () => {
    const models = await collect(await anthropicAt(provider.url).models.list());
    expect(models.map(({ id }) => id)).toEqual(['offline']);
  });
});
