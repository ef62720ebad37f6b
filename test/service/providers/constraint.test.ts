import { createServer, type Server } from 'node:http';
import { afterEach, describe, expect, test } from '@jest/globals';
import { structuredOf } from '../../../src/service/providers/models/known-servers.js';
import { LearnedParameters } from '../../../src/service/providers/models/model-parameters.js';
import { traitsOf } from '../../../src/service/providers/models/models.js';
import { classifyFailure } from '../../../src/service/providers/upstream/classify-failure.js';
import { listen } from '../../support/listen.js';
import { ask, connect, directoryAt, llmConfig, patienceOf, ways } from '../../support/providers/requests.js';

const constraint = {
  form: 'json_schema',
  schema: {},
  parameter: 'response_format',
  forSchema: 'response_format#1',
} as const;

const refusalOf = (status: number, message: string, parameter?: string) =>
  classifyFailure(
    {
      status,
      headers: {},
      error: { message, parameter, codes: [], status: undefined, retryAfterMs: null, words: undefined },
    },
    { provider: 'any', strippable: ['temperature'], constraint, secrets: [], codes: new Map() },
  ).refusedParameter;

describe('classifying the refusal of a constraint (rule: constraint-refusal)', () => {
  test.each([
    [
      400,
      "Invalid parameter: 'response_format' of type 'json_schema' is not supported with this model.",
      'response_format',
    ],
    [422, 'response_format: Extra inputs are not permitted', 'response_format'],
    [
      400,
      "Invalid schema for response_format 'reply': In context=('properties',), 'default' is not permitted.",
      'response_format#1',
    ],
    [
      400,
      "Invalid schema: Objects provided via 'anyOf' must not share identical first keys.",
      'response_format#1',
    ],
    [400, 'The compiled grammar is too large, which would cause performance issues.', 'response_format#1'],
    [
      500,
      "1 validation error: {'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\"}",
      'response_format#1',
    ],
    [500, 'failed to parse grammar', 'response_format#1'],
    [503, 'grammar compile failed for response_format', 'response_format#1'],
    [503, 'The server is overloaded.', undefined],
    [404, 'No endpoints found that support response_format', 'response_format'],
    [404, 'No endpoints found for qwen/qwen3.', undefined],
    [400, 'Bad Request', 'response_format#1'],
    [400, "Unsupported value: 'temperature' does not support 0.5 with this model.", 'temperature'],
    [500, 'The server had an error.', undefined],
    [401, 'response_format is not supported', undefined],
  ])('the refused part of a schema constraint is recognised from the response %i %s', (status, message, expected) => {
    expect(refusalOf(status, message)).toBe(expected);
  });
});

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

const free = {
  status: 'completed',
  output: [{ type: 'message', content: [{ type: 'output_text', text: 'free' }] }],
};

/** Responses by API. Completions and errors of the APIs differ only in their fields. */
const bodies = {
  chat: {
    completion: { choices: [{ message: { content: 'free' }, finish_reason: 'stop' }] },
    fragments: [{ choices: [{ delta: { content: 'free' }, finish_reason: 'stop' }] }, '[DONE]'],
    error: (message: string) => ({ error: { code: 400, message } }),
  },
  responses: {
    completion: free,
    fragments: [
      { type: 'response.created', response: { model: 'm', status: 'in_progress' } },
      { type: 'response.output_text.delta', output_index: 0, delta: 'free' },
      { type: 'response.completed', response: free },
    ],
    error: (message: string) => ({ type: 'response.failed', response: { error: { code: '400', message } } }),
  },
  messages: {
    completion: { content: [{ type: 'text', text: 'free' }], stop_reason: 'end_turn' },
    fragments: [
      { type: 'message_start', message: {} },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'free' } },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
      { type: 'message_stop' },
    ],
    error: (message: string) => ({ type: 'error', error: { type: 'invalid_request_error', message } }),
  },
};

/**
 * Starts a gateway that always responds with status 200, but with an error message as the body if the request has a
 * schema. `held` records for each request whether it had one.
 */
async function gatewayRefusing(message: string, { wire, streamed }: (typeof ways)[number]) {
  const { completion, fragments, error } = bodies[wire];
  const held: boolean[] = [];
  const server = createServer(async (request, response) => {
    const body: unknown = JSON.parse((await request.toArray()).join(''));
    const isHeld = /"(?:response_format|json_schema|output_config)"/.test(JSON.stringify(body));
    held.push(isHeld);
    const sent = isHeld ? [error(message)] : streamed ? fragments : [completion];
    const framed = sent.map((each) => (typeof each === 'string' ? each : JSON.stringify(each)));
    response.writeHead(200, { 'content-type': streamed ? 'text/event-stream' : 'application/json' });
    response.end(streamed ? framed.map((each) => `data: ${each}\n\n`).join('') : framed.join(''));
  });
  servers.push(server);
  const url = await listen(server);
  return { url, held };
}

const replySchema = { type: 'object', properties: {}, required: [], additionalProperties: false };

describe.each(ways)('a constraint refused inside a 200: $title', (way) => {
  test('a constraint that a response with status 200 refuses is omitted from a second request, and the refusal is remembered (rule: constraint-refusal)', async () => {
    const parameter = { chat: 'response_format', responses: 'text.format', messages: 'output_config.format' };
    const words = `${parameter[way.wire]} is not supported`;
    const { url, held } = await gatewayRefusing(words, way);
    const directory = directoryAt(url);
    for (let step = 0; step < 2; step += 1) {
      const completion = await ask(connect(directory, way.model), way, patienceOf(), { replySchema });
      expect(completion).toMatchObject({
        text: 'free',
        isConstrained: false,
        warnings: [{ code: 'constraint_dropped' }],
      });
    }
    expect(held).toEqual([true, false, false]);
  });
});

test('at most 100 refused schemas are remembered, the newest ones (rule: learned-parameters)', () => {
  const learned = new LearnedParameters();
  for (let index = 0; index < 250; index += 1) learned.remember('any', 'model', `response_format#${index}`);
  const refused = learned.refusedBy('any', 'model');
  expect(refused.size).toBe(100);
  expect(refused.has('response_format#249')).toBe(true);
});

const formOf = (url: string, setting?: Parameters<typeof structuredOf>[1]) => {
  const structured = structuredOf(url, setting);
  return typeof structured === 'object' ? structured.form : structured;
};

test.each([
  ['http://127.0.0.1:11434/v1', 'json_schema'],
  ['http://ollama/v1', 'json_schema'],
  ['http://ollama.internal:8080/v1', 'json_schema'],
  ['http://127.0.0.1:1234/v1', 'json_schema'],
  ['http://gpu.vllm.svc.cluster.local:8000/v1', 'json_schema'],
  ['http://SGLang:8000/v1', 'json_schema'],
  ['http://llama-server:8080/v1', 'llama'],
  ['https://openrouter.ai/api/v1', 'json_schema'],
  ['https://eu.openrouter.ai/api/v1', 'json_schema'],
  ['https://x.openai.azure.com/openai/v1', 'json_schema'],
  ['https://x.cognitiveservices.azure.com/openai/v1', 'json_schema'],
  ['http://litellm:4000', 'json_schema'],
])('a vendor’s server is recognised by one complete label of its host name or by its port: %s (rule: named-upstreams)', (url, form) => {
  expect(formOf(url)).toBe(form);
});

test.each([
  'http://127.0.0.1:9000/v1',
  'https://notopenai.azure.evil.com/v1',
  'https://notopenrouter.ai/v1',
  'https://openrouter.ai.evil.com/v1',
  'https://x.azure.com/v1',
  'https://myollama.example/v1',
  'https://ollama-proxy.example/v1',
  'https://gateway.example/ollama/v1',
  'https://gateway.example/v1?to=openrouter.ai',
  'https://openrouter.ai@gateway.example/v1',
  'http://127.0.0.1:11435/v1',
  'http://127.0.0.1:12340/v1',
])('a server is not recognised by a vendor’s name elsewhere in the URL: %s (rule: named-upstreams)', (url) => {
  expect(formOf(url)).toBe('none');
});

test('an upstream named ollama or azure is not treated as that vendor’s server (rule: named-upstreams)', () => {
  const url = 'http://127.0.0.1:9/v1';
  const upstreams = { ollama: { url, keyRequired: false }, azure: { url, keyRequired: false } };
  const directory = directoryAt(url, { upstreams });
  for (const name of Object.keys(upstreams)) {
    expect(directory.resolve(llmConfig('any', name))?.profile.structured).toBe('none');
  }
});

test('the operator’s setting takes precedence over a recognised server (rule: named-upstreams)', () => {
  expect(formOf('http://127.0.0.1:11434/v1', 'none')).toBe('none');
  expect(formOf('http://127.0.0.1:9000/v1', 'llama')).toBe('llama');
  expect(structuredOf('http://127.0.0.1:11434/v1', 'json_schema')).toMatchObject({ isCharged: false });
});

test('a schema is sent only to models that are known to support it (rule: model-table)', () => {
  const forms = ['gpt-4o', 'gpt-4o-2024-05-13', 'gpt-4', 'gpt-3.5-turbo', 'o3', 'gpt-6-sol'].map((model) => {
    const { structured } = traitsOf('openai', model);
    return typeof structured === 'object' ? structured.form : structured;
  });
  expect(forms).toEqual(['json_schema', 'json_object', 'none', 'json_object', 'json_schema', 'json_schema']);
  expect(traitsOf('openai', 'ft:gpt-4o:x').structured).toMatchObject({ form: 'json_schema', bounds: [] });
  const claude = ['claude-sonnet-5', 'claude-sonnet-4-5', 'claude-sonnet-4-20250514', 'claude-3-opus'];
  expect(claude.map((model) => typeof traitsOf('anthropic', model).structured)).toEqual([
    'object',
    'object',
    'string',
    'string',
  ]);
});
