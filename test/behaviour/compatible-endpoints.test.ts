import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { startFakeProvider } from '../../src/offline/fake-provider.js';
import { createToken } from '../../src/service/operations/access/token.js';
import { type ChatService, clientOf, failure, startChatService, textModel, user } from '../support/compat.js';
import { sendRaw } from '../support/raw-request.js';
import { writeTokenFile } from '../support/token-file.js';
import { until } from '../support/until.js';

const path = '/v1/chat/completions';
const chat = (changes: object = {}) => ({ model: textModel, messages: [user('Look.')], ...changes });

interface AnthropicModels {
  readonly data: readonly { readonly id: string }[];
}

/** Sends a request without a client library. A body that is a text is sent unchanged, any other as JSON. */
const post = (url: string, body: unknown, headers: Record<string, string> = {}, at = path) =>
  fetch(url + at, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });

let service: ChatService;
beforeAll(async () => {
  service = await startChatService();
});
afterAll(() => service.close());

const others: ChatService[] = [];
afterEach(async () => {
  await Promise.all(others.splice(0).map((each) => each.close()));
});
const start = async (environment: Record<string, string>) => {
  const started = await startChatService(environment);
  others.push(started);
  return started;
};

describe('failures below /v1', () => {
  test.each([
    ['rate-limited', 429, 'upstream_rate_limited', 'true'],
    ['overloaded', 503, 'upstream_overloaded', 'true'],
    ['server-error', 502, 'upstream_error', 'true'],
    ['unauthorized', 401, 'upstream_authentication_failed', 'false'],
    ['payment-required', 402, 'upstream_billing', 'false'],
    ['not-found', 404, 'upstream_model_not_found', 'false'],
  ] as const)('an upstream failure before the first byte (%s) is returned with its own status and code, plain and streamed (rule: compatible-errors)', async (fault, status, code, retry) => {
    for (const make of [service.ask, service.stream]) {
      const error = await failure(make(() => ({ fault })));
      expect(error).toMatchObject({ status, code, param: null, type: expect.any(String) });
      expect(error.message.length).toBeGreaterThan(20);
      expect(error.headers?.get('x-should-retry')).toBe(retry);
      if (status === 429 || status === 503) expect(error.headers?.get('retry-after')).toMatch(/^\d+$/);
    }
  });

  test('if the upstream reports that the prompt is too long, the client gets the context-length error of its API with the size of the prompt, plain and streamed (rule: compatible-errors)', async () => {
    for (const make of [service.ask, service.stream]) {
      const { headers } = await make({ text: 'x' });
      const tokens = Number(headers.get('x-stepwise-prompt-tokens'));
      expect(tokens).toBeGreaterThan(1);
      const error = await failure(make({ fault: 'context-overflow' }));
      expect(error).toMatchObject({ status: 400, code: 'context_length_exceeded' });
      expect(error.message).toContain(`This model's maximum context length is ${tokens - 1} tokens`);
      expect(error.message).toContain(`resulted in ${tokens} tokens`);
    }
  });

  test('if the upstream breaks off in mid-stream, the client throws an error with the code upstream_unreachable', async () => {
    const fault = { fault: 'cut', completion: { text: 'one two three four' } } as const;
    const error = await failure(service.stream(fault));
    expect(error).toMatchObject({ code: 'upstream_unreachable' });
  });

  test.each([
    ['not JSON', '{"model": ', 400, 'invalid_json', null],
    ['a list', [], 400, 'invalid_request', null],
    ['no messages', { model: textModel }, 400, 'invalid_request', 'messages'],
    ['a number for a role', chat({ messages: [{ role: 5 }] }), 400, 'invalid_request', 'messages[0].role'],
    [
      'a number as text',
      chat({ messages: [{ role: 'user', content: [{ type: 'text', text: 5 }] }] }),
      400,
      'invalid_request',
      'messages[0].content[0].text',
    ],
    [
      'a tool without a function',
      chat({ tools: [{ type: 'function' }] }),
      400,
      'invalid_request',
      'tools[0].function',
    ],
    ['two choices', chat({ n: 2 }), 400, 'invalid_request', 'n'],
    [
      'a tool that is not offered',
      chat({ tool_choice: { type: 'function', function: { name: 'x' } } }),
      400,
      'invalid_request',
      'tool_choice',
    ],
    ['an unknown model', chat({ model: 'nobody/x' }), 400, 'unsupported_model', 'model'],
    ['a model that needs a key', chat({ model: 'gpt-4o' }), 401, 'missing_api_key', null],
  ])('an invalid body fails with an error in the format of the API that names the field: %s (rule: compatible-errors)', async (_kind, body, status, code, param) => {
    const response = await post(service.url, body);
    const answer = await response.json();
    expect([response.status, answer]).toEqual([
      status,
      { error: { message: expect.any(String), type: expect.any(String), param, code } },
    ]);
  });

  test.each([
    ['GET', path, 405, 'method_not_allowed'],
    ['POST', '/v1/embeddings', 404, 'not_found'],
    ['GET', '/v1/models/nobody/x', 404, 'not_found'],
  ])('the error for %s %s has the format of the API', async (method, at, status, code) => {
    const response = await fetch(service.url + at, { method });
    expect([response.status, await response.json()]).toMatchObject([status, { error: { code } }]);
  });
});

describe('values that JSON has but other programs read differently (rule: compatible-bodies)', () => {
  const ended = () => service.fake.script(() => ({ text: 'Final Answer: yes' }));
  const sent = () => service.fake.requests.at(-1)?.rawBody ?? '';
  const tool = (schema: object) => ({ name: 'get', description: 'Gets.', input_schema: schema });
  const id = 'call_1';

  test.each([
    [
      path,
      {
        messages: [
          user('Look.'),
          {
            role: 'assistant',
            tool_calls: [{ id, type: 'function', function: { name: 'get', arguments: '{}' } }],
          },
          { role: 'tool', tool_call_id: id, content: 'A=1\0B=2' },
        ],
      },
    ],
    [
      '/v1/responses',
      {
        input: [
          user('Look.'),
          { type: 'function_call', call_id: id, name: 'get', arguments: '{}' },
          { type: 'function_call_output', call_id: id, output: 'A=1\0B=2' },
        ],
      },
    ],
    [
      '/v1/messages',
      {
        max_tokens: 100,
        messages: [
          user('Look.'),
          { role: 'assistant', content: [{ type: 'tool_use', id, name: 'get', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'A=1\0B=2' }] },
        ],
      },
    ],
  ])('NUL in a tool result sent to %s reaches the model as U+FFFD, with a warning', async (at, fields) => {
    ended();
    const { status, headers } = await post(service.url, { model: textModel, ...fields }, {}, at);
    expect([status, headers.get('x-stepwise-warnings')]).toEqual([200, 'nul_replaced']);
    expect(sent()).toContain('A=1\uFFFDB=2');
  });

  test('integers of 64 bits in a tool schema and in ignored fields do not refuse the request', async () => {
    ended();
    const schema = { type: 'object', properties: { n: { type: 'integer', maximum: 'LARGE' } } };
    const tools = [{ type: 'function', function: { name: 'get', parameters: schema } }];
    const body = JSON.stringify(chat({ tools, metadata: { at: 'LARGE' } }));
    for (const large of ['9223372036854775807', '-9223372036854775808', '18446744073709551615']) {
      const answer = await post(service.url, body.replaceAll('"LARGE"', large));
      expect([answer.status, answer.headers.get('x-stepwise-warnings')]).toEqual([200, 'integer_converted']);
    }
  });

  test('the input of a past call keeps all digits of an integer of 64 bits', async () => {
    ended();
    const schema = { type: 'object', properties: { n: { type: 'integer' } } };
    const calls = [
      user('Look.'),
      { role: 'assistant', content: [{ type: 'tool_use', id, name: 'get', input: { n: 'LARGE' } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: id, content: 'ok' }] },
    ];
    const body = { model: textModel, max_tokens: 100, messages: calls, tools: [tool(schema)] };
    const raw = JSON.stringify(body).replace('"LARGE"', '-1234567890123456789');
    expect((await post(service.url, raw, {}, '/v1/messages')).status).toBe(200);
    expect(sent()).toContain('-1234567890123456789');
  });

  test('an integer of 64 bits as a setting is refused with the path of the field', async () => {
    const raw = JSON.stringify(chat({ seed: 'LARGE' })).replace('"LARGE"', '12345678901234567890');
    const answer = await post(service.url, raw);
    expect([answer.status, await answer.json()]).toMatchObject([400, { error: { param: 'seed' } }]);
  });
});

describe('keys of requests to /v1', () => {
  const key = 'sk-own-0123456789-abcdef';
  const keyed = chat({ model: 'openai/gpt-4o' });
  const sentKey = (at: ChatService) => at.fake.requests.at(-1)?.headers['authorization'];

  test.each([
    [{ Authorization: `Bearer ${key}` }],
    [{ 'x-api-key': key, Authorization: 'Bearer sk-another-0123456789' }],
    [{ 'X-LLM-API-Key': key, 'x-api-key': 'sk-another-0123456789' }],
  ])('in a service without tokens, the first of X-LLM-API-Key, x-api-key and Authorization is the provider key: %j (rule: compatible-keys)', async (headers) => {
    service.fake.script({ text: 'x' });
    expect((await post(service.url, keyed, headers)).status).toBe(200);
    expect(sentKey(service)).toBe(`Bearer ${key}`);
  });

  test('in a service with tokens, only X-LLM-API-Key is the provider key, unless X-Stepwise-Token has the token (rule: compatible-keys)', async () => {
    const token = createToken();
    const guarded = await start({ AUTH_TOKENS_FILE: writeTokenFile({ token, name: 'agent', projects: [] }) });
    guarded.fake.script(() => ({ text: 'x' }));
    const rows: [Record<string, string>, number, string | undefined][] = [
      [{ Authorization: `Bearer ${token}` }, 401, undefined],
      [{ 'x-api-key': token }, 401, undefined],
      [{ Authorization: `Bearer ${token}`, 'X-LLM-API-Key': key }, 200, key],
      [{ 'x-api-key': token, 'X-LLM-API-Key': key }, 200, key],
      [{ 'X-Stepwise-Token': token, Authorization: `Bearer ${key}` }, 200, key],
      [{ 'X-Stepwise-Token': token, 'x-api-key': key }, 200, key],
      [{ 'X-Stepwise-Token': token, Authorization: `Bearer ${token}` }, 401, undefined],
      [
        { 'X-Stepwise-Token': 'wrong', Authorization: `Bearer ${token}`, 'X-LLM-API-Key': key },
        401,
        undefined,
      ],
      [{ Authorization: `Bearer ${key}`, 'X-LLM-API-Key': key }, 401, undefined],
    ];
    for (const [headers, status, sent] of rows) {
      const before = guarded.fake.requests.length;
      const response = await post(guarded.url, keyed, headers);
      expect([headers, response.status]).toEqual([headers, status]);
      await response.text();
      expect(guarded.fake.requests.slice(before).map((each) => each.headers['authorization'])).toEqual(
        sent === undefined ? [] : [`Bearer ${sent}`],
      );
    }
    const all = JSON.stringify([guarded.fake.requests, guarded.log]);
    expect(all).not.toContain(token.slice(9));
  });

  test('an upstream without a key gets neither a placeholder, nor a key, nor a token, nor any header of the client', async () => {
    const token = createToken();
    const guarded = await start({ AUTH_TOKENS_FILE: writeTokenFile({ token, name: 'agent' }) });
    guarded.fake.script(() => ({ text: 'x' }));
    for (const target of [service, guarded]) {
      target.fake.script(() => ({ text: 'x' }));
      const headers = {
        Authorization: `Bearer ${target === guarded ? token : 'placeholder-of-the-client'}`,
        'X-LLM-API-Key': 'another-key-0123456789',
        'X-Client-Secret': 'client-secret-0123456789',
        'OpenAI-Organization': 'org-0123456789',
        Cookie: 'session=cookie-0123456789',
      };
      expect((await post(target.url, chat(), headers)).status).toBe(200);
      const sent = JSON.stringify(target.fake.requests.at(-1));
      expect(sent).not.toMatch(/placeholder-of|another-key|client-secret|org-0123|cookie-0123|stepwise_/);
      expect(target.fake.requests.at(-1)?.headers['authorization']).toBeUndefined();
    }
  });

  test('no error and no log line contains the provider key, in whichever header it was sent', async () => {
    for (const body of [
      '{',
      chat({ model: key }),
      chat({ model: `openai/${key}` }),
      chat({ model: `local/${key}` }),
      chat({ messages: key }),
      chat({ tools: [{ type: key }], n: 2 }),
    ])
      for (const headers of [
        { Authorization: `Bearer ${key}` },
        { 'x-api-key': key, 'X-Request-Id': `run.${key}` },
      ]) {
        service.fake.script(() => ({ fault: 'unauthorized' }));
        const response = await post(service.url, body, headers);
        expect(`${JSON.stringify([...response.headers])}${await response.text()}`).not.toContain(
          key.slice(3, 20),
        );
      }
    expect(service.log.join('')).not.toContain(key.slice(3, 20));
  });
});

describe('the model lists of /v1', () => {
  test('the model list has the built-in models and those of upstreams that need no key; ids may contain slashes (rule: compatible-models)', async () => {
    const ids: string[] = [];
    for await (const model of service.client.models.list()) ids.push(model.id);
    expect(ids).toEqual(expect.arrayContaining(['gpt-4o', 'claude-sonnet-4-6', 'local/offline']));
    for (const at of ['local/offline', 'local%2Foffline', 'gpt-4o'])
      expect(await (await fetch(`${service.url}/v1/models/${at}`)).json()).toMatchObject({
        id: decodeURIComponent(at),
        object: 'model',
      });
    expect((await fetch(`${service.url}/v1/models/local/another`)).status).toBe(404);
  });

  test('the model list has each model of an upstream’s settings exactly once, under the name that requests use', async () => {
    const found = await start({
      UPSTREAMS: JSON.stringify({
        local: { url: 'FAKE_URL/v1', keyRequired: false, models: { offline: {}, 'gpt-4o': {}, 'a/b:1': {} } },
      }),
    });
    const list = (await (await fetch(`${found.url}/v1/models`)).json()) as { data: { id: string }[] };
    const ids = list.data.map(({ id }) => id);
    expect(ids.filter((id) => id.startsWith('local/'))).toEqual([
      'local/offline',
      'local/gpt-4o',
      'local/a/b:1',
    ]);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids).toContain('gpt-4o');
  });

  test('with the header anthropic-version, the model list has the format of Anthropic’s API (rule: compatible-models)', async () => {
    const headers = { 'anthropic-version': '2023-06-01' };
    const list = (await (await fetch(`${service.url}/v1/models`, { headers })).json()) as AnthropicModels;
    expect(list).toMatchObject({
      has_more: false,
      first_id: list.data[0]?.id,
      last_id: list.data.at(-1)?.id,
    });
    expect(list.data[0]).toEqual({
      type: 'model',
      id: expect.any(String),
      display_name: expect.any(String),
      created_at: expect.any(String),
      capabilities: null,
      deprecated_at: null,
      lifecycle: 'active',
      line: null,
      max_input_tokens: null,
      max_tokens: null,
      retires_at: null,
    });
  });

  test('the model list omits an unreachable upstream, and two requests in a row fetch the list of an upstream once', async () => {
    const silent = await startFakeProvider();
    const { url } = silent;
    await silent.close();
    const found = await start({
      UPSTREAMS: JSON.stringify({
        gone: { url: `${url}/v1`, keyRequired: false },
        local: { url: 'FAKE_URL/v1', keyRequired: false },
      }),
    });
    for (const _ of [1, 2]) {
      const list = (await (await fetch(`${found.url}/v1/models`)).json()) as { data: { id: string }[] };
      expect(list.data.filter(({ id }) => id.includes('/'))).toMatchObject([
        { id: 'local/offline', owned_by: 'local' },
      ]);
    }
    expect(found.fake.requests.filter(({ method }) => method === 'GET')).toHaveLength(1);
    expect((await fetch(`${found.url}/v1/models/gone/any:1b`)).status).toBe(200);
  });

  test('a model has the context window and the protocol of its settings, and an unknown window is logged once (rule: compatible-budget)', async () => {
    const found = await start({
      UPSTREAMS: JSON.stringify({
        local: {
          url: 'FAKE_URL/v1',
          keyRequired: false,
          models: { 'small/one:1b': { contextWindow: 2_000, protocol: 'xml' } },
        },
      }),
    });
    await found.ask(() => ({ text: '<final_answer>x</final_answer>' }), {
      model: 'local/small/one:1b',
      tools: [{ type: 'function', function: { name: 'f' } }],
    });
    expect(found.fake.requests.at(-1)?.body).toMatchObject({ model: 'small/one:1b', max_tokens: 500 });
    expect(found.fake.requests.at(-1)?.rawBody).toContain('<tool_code>');
    await found.ask(() => ({ text: 'x' }), { model: 'local/other' });
    await found.ask(() => ({ text: 'x' }), { model: 'local/other' });
    const warnings = found.log.filter((line) => line.includes('context window of a model is unknown'));
    expect(warnings.map((line) => JSON.parse(line).model)).toEqual(['other']);
  });
});

describe('the limits, request checks, logging, CORS rules and aborts of /api also apply to /v1', () => {
  test('a request above the rate limit gets 429 in the format of the API', async () => {
    const limited = await start({ RATE_LIMIT_PER_MINUTE: '1' });
    await limited.ask(() => ({ text: 'x' }));
    const error = await failure(limited.ask(() => ({ text: 'x' })));
    expect(error).toMatchObject({ status: 429, code: 'rate_limited', type: 'rate_limit_error' });
    expect(error.headers?.get('retry-after')).toMatch(/^\d+$/);
  });

  test('if a reply is corrected, the tokens of both model calls are charged (rule: compatible-corrections)', async () => {
    const token = createToken();
    const limits = { tokensPerDay: 1_000 };
    const limited = await start({ AUTH_TOKENS_FILE: writeTokenFile({ token, name: 'agent', limits }) });
    const client = clientOf(limited, { apiKey: token });
    const usage = { input: 500, output: 10 };
    limited.fake.script([{ text: '', usage }, { text: '', usage }, { text: 'x' }]);
    const ask = () => client.chat.completions.create(chat());
    expect((await ask()).usage?.total_tokens).toBe(1_020);
    await until(async () => (await failure(ask())).status === 429);
  });

  test('a Host header that names another host, a large body and a wrong content type are refused in the format of the API', async () => {
    const foreign = await sendRaw(service.url, { path, headers: [['Host', 'evil.test']], body: '{}' });
    const large = await post(service.url, JSON.stringify(chat({ user: 'x'.repeat(5_000_000) })));
    const wrong = await post(service.url, '{}', { 'Content-Type': 'text/plain' });
    expect([foreign.status, JSON.parse(foreign.text)]).toMatchObject([403, { error: { code: 'forbidden' } }]);
    expect([large.status, await large.json()]).toMatchObject([413, { error: { code: 'request_too_large' } }]);
    expect([wrong.status, await wrong.json()]).toMatchObject([
      415,
      { error: { code: 'unsupported_media_type' } },
    ]);
    const empty = (await (await post(service.url, '')).json()) as { error: { message: string } };
    expect(empty.error.message).toBe(
      'The request body is not valid JSON. The body is empty; send the request as a JSON object.',
    );
  });

  test('responses forbid caching, and log lines and metrics name the route and the outcome', async () => {
    const { headers } = await service.ask({ text: 'x' });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.get('x-request-id')).toMatch(/\S/);
    const line = service.log.findLast((each) => each.includes('"msg":"request"')) ?? '{}';
    expect(JSON.parse(line)).toMatchObject({
      route: path,
      status: 200,
      outcome: 'answer',
      input_tokens: expect.any(Number),
    });
    expect(await (await fetch(`${service.url}/metrics`)).text()).toContain(`route="${path}"`);
  });

  test('a page of an allowed origin may send the headers of the vendors’ SDKs and read those of the service', async () => {
    const open = await start({ CORS_ORIGINS: 'https://page.test' });
    const response = await fetch(open.url + path, {
      method: 'OPTIONS',
      headers: {
        Origin: 'https://page.test',
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization, x-stainless-os',
      },
    });
    expect(response.headers.get('access-control-allow-headers')).toBe('authorization, x-stainless-os');
    for (const name of ['X-Stepwise-Left-Out', 'Request-Id'])
      expect(response.headers.get('access-control-expose-headers')).toContain(name);
  });

  test('when the caller disconnects, the upstream call is aborted', async () => {
    service.fake.script({ text: 'x', delayMs: 60_000 });
    const leaving = new AbortController();
    const before = service.fake.requests.length;
    const answer = fetch(service.url + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(chat({ stream: true })),
      signal: leaving.signal,
    });
    const request = await service.fake.request(before);
    leaving.abort();
    await expect(answer).rejects.toThrow();
    expect(await request.ended).toBe('aborted');
  });

  test('a deadline that passes before the first byte fails with 504', async () => {
    const short = await start({ STEP_DEADLINE_MS: '300' });
    const error = await failure(short.stream({ text: 'x', delayMs: 60_000 }));
    expect(error).toMatchObject({ status: 504, code: 'upstream_timeout' });
  });
});
