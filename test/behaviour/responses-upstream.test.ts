import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import type { TurnInput } from '../../src/contract/history.js';
import type { StepRequestInput } from '../../src/contract/step-request.js';
import { streamStep } from '../support/stream-step.js';
import { startWholeService, stepRequest, type WholeService } from '../support/whole-service.js';

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService(undefined, {
    UPSTREAMS: JSON.stringify({
      own: { url: 'FAKE_URL/v1', wire: 'responses', keyRequired: false, structured: 'json_schema' },
      messages: { url: 'FAKE_URL', wire: 'messages', keyRequired: true, keyHeader: 'x-api-key' },
    }),
  });
});
afterAll(() => service.close());

const tools = [
  {
    name: 'read_file',
    description: 'Reads a file.',
    inputSchema: { type: 'object', properties: { path: { type: 'string' } }, required: ['path'] },
  },
];

const request = (
  changes: Partial<StepRequestInput> = {},
  config: object = {},
): Partial<StepRequestInput> => ({
  llm_config: { modelName: 'gpt-5.6-sol', tokenLimit: 16_000, reservedOutputTokens: 1_000, ...config },
  tools,
  ...changes,
});
const own = { provider: 'own', modelName: 'gpt-oss-20b' };

const sent = () => service.fake.requests.at(-1);

describe('the Responses API (rule: wires)', () => {
  test.each([
    'low',
    'high',
    'max',
  ] as const)('native calling with GPT-5.6 sends the requested reasoning effort %s', async (reasoningEffort) => {
    service.fake.script({ text: 'It is there.' });
    const { body } = await service.step(request({ protocol: 'native' }, { reasoningEffort }));
    expect(body.direct_response).toBe('It is there.');
    expect(body.warnings).toEqual([]);
    expect(sent()?.path).toBe('/v1/responses');
    expect(sent()?.body).toMatchObject({
      reasoning: { effort: reasoningEffort, summary: 'auto' },
      store: false,
      include: ['reasoning.encrypted_content'],
      max_output_tokens: 1_000,
      tool_choice: 'auto',
      tools: [{ type: 'function', name: 'read_file', parameters: tools[0]?.inputSchema }],
    });
  });

  test.each([
    ['without an effort', {}, undefined],
    ['with the effort none', { reasoningEffort: 'none' }, { effort: 'none' }],
  ] as const)('a request to the Responses API %s asks for no summary of the reasoning', async (_, config, reasoning) => {
    service.fake.script({ text: 'It is there.' });
    await service.step(request({ protocol: 'native' }, config));
    expect(sent()?.body['reasoning']).toEqual(reasoning);
  });

  test('each assistant message for the Responses API has a type, without which llama.cpp refuses it', async () => {
    service.fake.script({ text: 'It is there.' });
    const history = [
      { role: 'user' as const, content: 'Where?' },
      { role: 'assistant' as const, content: 'I look.', toolCall: { name: 'read_file', parameters: {} } },
      { role: 'tool_observation' as const, content: 'Found.' },
    ];
    for (const protocol of ['text', 'native'] as const) {
      await service.step(request({ protocol, conversation_history: history, user_query: '' }));
      const items = sent()?.body['input'] as readonly Record<string, unknown>[];
      const types = items.filter(({ role }) => role === 'assistant').map(({ type }) => type);
      expect(types).toEqual(['message']);
    }
  });

  test('the service omits the reasoning-summary request for an organisation that may not have it, and keeps the effort', async () => {
    const modelName = 'gpt-5.6-luna';
    service.fake.script(({ body }) => {
      if (JSON.stringify(body['reasoning']).includes('summary'))
        throw new Error("Unsupported value: 'reasoning.summary' is not supported with this organization.");
      return { text: 'It is there.' };
    });
    for (const requests of [2, 1]) {
      const before = service.fake.requests.length;
      const { body } = await service.step(
        request({ protocol: 'native' }, { modelName, reasoningEffort: 'high' }),
      );
      expect([body.direct_response, body.warnings]).toEqual(['It is there.', []]);
      expect(service.fake.requests).toHaveLength(before + requests);
      expect(sent()?.body['reasoning']).toEqual({ effort: 'high' });
    }
  });

  test.each([
    'gpt-4o',
    'o3',
    'gpt-5',
  ])('the model %s is called through Chat Completions', async (modelName) => {
    service.fake.script({ text: 'It is there.' });
    await service.step(request({ protocol: 'native' }, { modelName }));
    expect(sent()?.path).toBe('/v1/chat/completions');
  });

  test.each([
    'gpt-5-pro',
    'gpt-5.1-codex',
    'o3-pro',
  ])('the model %s, which Chat Completions does not serve, is called through the Responses API', async (modelName) => {
    service.fake.script({ text: 'It is there.' });
    await service.step(request({}, { modelName }));
    expect(sent()?.path).toBe('/v1/responses');
  });

  test.each([
    ['text', 'Thought: I look.\nAction: read_file(path="a.ts")'],
    [
      'xml',
      'I look.\n<tool_code><name>read_file</name><parameters>{"path": "a.ts"}</parameters></tool_code>',
    ],
    ['json', '{"thought": "I look.", "action": {"tool": "read_file", "args": {"path": "a.ts"}}}'],
  ] as const)('an action is read in the protocol %s, plain and streamed alike', async (protocol, text) => {
    service.fake.script({ text, reasoning: 'Hm.' });
    const { body } = await service.step(request({ protocol }));
    expect(body).toMatchObject({
      status: 'action_proposed',
      thought: 'I look.',
      action_details: { tool_name: 'read_file', tool_args: { path: 'a.ts' } },
      reasoning: 'Hm.',
      finish_reason: 'stop',
      finish_reason_raw: 'completed',
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number), cost: null },
    });
    const { step } = await streamStep(service, request({ protocol }));
    expect([step.action_details, step.reasoning, step.usage]).toEqual([
      body.action_details,
      body.reasoning,
      body.usage,
    ]);
  });

  test('parallel native calls are read alike, plain and streamed, and their results are sent back', async () => {
    const toolCalls = ['a', 'b'].map((path) => ({
      id: `call_${path}`,
      name: 'read_file',
      arguments: { path },
    }));
    service.fake.script({ text: 'Both.', reasoning: 'Hm.', toolCalls });
    const { body } = await service.step(request({ protocol: 'native' }));
    const streamed = await streamStep(service, request({ protocol: 'native' }));
    for (const step of [body, streamed.step]) {
      expect(step).toMatchObject({ status: 'action_proposed', thought: 'Both.', finish_reason: 'tool' });
      expect([step.action_details, ...step.additional_actions].map((each) => each?.tool_args)).toEqual([
        { path: 'a' },
        { path: 'b' },
      ]);
    }
    expect(streamed.joined('reasoning')).toBe('Hm.');
    const results = ['call_b', 'call_a'].map((toolCallId) => ({
      role: 'tool_observation',
      content: `of ${toolCallId}`,
      toolCallId,
    }));
    const history = [...(body.updated_conversation_history ?? []), ...results] as TurnInput[];
    service.fake.script({ text: 'It is there.' });
    const next = await service.step(
      request({ protocol: 'native', user_query: '', conversation_history: history }),
    );
    expect(next.body.direct_response).toBe('It is there.');
    const input = sent()?.body['input'];
    expect((Array.isArray(input) ? input : []).map((item) => item.role ?? item.type)).toEqual([
      'system',
      'user',
      'reasoning',
      'assistant',
      'function_call',
      'function_call',
      'function_call_output',
      'function_call_output',
    ]);
  });

  test('a reply schema is sent as text.format, and after a refusal the retry omits it with a warning', async () => {
    service.fake.script({ text: '{"thought": "x", "action": null, "final_answer": "yes"}' });
    await service.step(request({ protocol: 'json' }, own));
    expect(sent()?.body['text']).toMatchObject({ format: { type: 'json_schema', strict: true } });
    service.fake.script(({ body }) => {
      if (body['text'])
        throw new Error("Invalid schema for response_format 'reply': text.format is not supported");
      return { text: '{"thought": "x", "final_answer": "yes"}' };
    });
    const { body } = await service.step(request({ protocol: 'json' }, { ...own, modelName: 'refuses' }));
    expect(body.direct_response).toBe('yes');
    expect(body.warnings.map(({ code }) => code)).toContain('constraint_dropped');
  });

  test('a refused parameter is omitted in the retry, and the next step omits it at once', async () => {
    service.fake.script(({ body }) => {
      if ('include' in body) throw new Error('Encrypted content is not supported with this model: include');
      return { text: 'It is there.' };
    });
    const config = { ...own, modelName: 'plain' };
    expect((await service.step(request({ protocol: 'native' }, config))).body.direct_response).toBe(
      'It is there.',
    );
    const before = service.fake.requests.length;
    await service.step(request({ protocol: 'native' }, config));
    expect(service.fake.requests.length - before).toBe(1);
  });

  test.each([
    ['the output limit', { text: 'It is', finishReason: 'length' }, 'length', 'max_output_tokens'],
    ['a content filter', { text: null, finishReason: 'refusal' }, 'refusal', 'content_filter'],
    ['a refusal', { text: null, refusal: 'I will not.' }, 'refusal', 'completed'],
  ])('a reply that ends by %s has the matching finish reason, plain and streamed', async (_, reply, reason, raw) => {
    service.fake.script(reply);
    const { body } = await service.step(request({ protocol: 'native' }));
    const { step } = await streamStep(service, request({ protocol: 'native' }));
    for (const each of [body, step])
      expect([each.finish_reason, each.finish_reason_raw]).toEqual([reason, raw]);
    expect(step.direct_response ?? step.error?.code).toEqual(body.direct_response ?? body.error?.code);
  });

  test.each([
    ['unauthorized', 401, 'upstream_authentication_failed'],
    ['quota-exhausted', 402, 'upstream_billing'],
    ['context-overflow', 422, 'upstream_context_length_exceeded'],
    ['truncated-json', 502, 'upstream_invalid_response'],
    ['empty-object', 502, 'upstream_invalid_response'],
    ['html', 502, 'upstream_invalid_response'],
    ['cut', 502, 'upstream_unreachable'],
    ['error-event', 503, 'upstream_overloaded'],
  ] as const)('the upstream fault %s gives the status %d and the code %s', async (fault, status, code) => {
    service.fake.script({ fault });
    const answer = await service.step(request({ protocol: 'native' }));
    expect([answer.status, answer.body.error?.code]).toEqual([status, code]);
  });

  test('the output limit in the request is at least 16 tokens, the minimum of the API', async () => {
    service.fake.script({ text: 'It is there.' });
    await service.step(request({}, { maxOutputTokens: 1 }));
    expect(sent()?.body['max_output_tokens']).toBe(16);
  });
});

describe('an upstream with the setting wire: messages (rule: wires)', () => {
  test.each([
    'qwen3:8b',
    'bedrock/claude-opus-5',
  ])('an upstream with wire messages is called through the Messages API with the key in x-api-key: %s', async (modelName) => {
    service.fake.script({ toolCalls: [{ name: 'read_file', arguments: { path: 'a' } }] });
    const { body } = await service.step(request({ protocol: 'native' }, { provider: 'messages', modelName }));
    expect(body.action_details?.tool_args).toEqual({ path: 'a' });
    expect(sent()?.path).toBe('/v1/messages');
    expect(sent()?.headers).toMatchObject({
      'anthropic-version': expect.any(String),
      'x-api-key': stepRequest().user_api_keys?.llmKey,
    });
    expect(sent()?.headers).not.toHaveProperty('authorization');
    expect(sent()?.body).toMatchObject({ model: modelName, max_tokens: 1_000 });
  });
});
