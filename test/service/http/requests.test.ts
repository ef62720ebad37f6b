import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { StepRequest } from '../../../src/contract/step-request.js';
import {
  answered,
  startTestService,
  stepBody,
  stepPath,
  type TestService,
} from '../../support/test-service.js';

let service: TestService;
let seen: StepRequest[] = [];
beforeAll(async () => {
  service = await startTestService({
    step: async (request) => {
      seen.push(request);
      return answered;
    },
  });
});
beforeEach(() => {
  seen = [];
});
afterAll(() => service.close());

const post = (changes: Record<string, unknown>, headers: Record<string, string> = {}) =>
  service.call('POST', stepPath, { body: stepBody(changes), headers });
const postRaw = (raw: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) =>
  service.call('POST', stepPath, { raw, headers });

describe('bodies that are not JSON (rule: error-table)', () => {
  test.each([
    '{',
    'null,',
    "{'a': 1}",
    '{"a": NaN}',
    '{"a": "\u0000"}',
    '{"user_query": "sk-canary"',
    '{"user_query": "fix the failing test in src/sk-canary.ts',
    '{"user_query": "fix the failing test\nin src/sk-canary.ts"}',
  ])('the invalid JSON body %j gets 400 invalid_json with its position and without its text', async (raw) => {
    const answer = await postRaw(raw);
    expect([answer.status, answer.body.error.code]).toEqual([400, 'invalid_json']);
    expect(answer.body.error.details[0].message).toMatch(/^line \d+, column \d+ \(offset \d+\): expected /);
    expect(JSON.stringify(answer)).not.toMatch(/canary/);
  });

  test.each(['', ' \r\n'])('an empty body gets 400 with the code empty_body: %j', async (raw) => {
    const { status, body } = await postRaw(raw);
    expect([status, body.error.code]).toEqual([400, 'invalid_json']);
    expect(body.error.details).toEqual([
      { path: '', code: 'empty_body', message: 'the body is empty; send the request as a JSON object' },
    ]);
  });

  test('a body that is not UTF-8 gets 400 with the code not_utf8', async () => {
    const { status, body } = await postRaw(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x7d]));
    expect([status, body.error.code, body.error.details[0].code]).toEqual([400, 'invalid_json', 'not_utf8']);
  });
});

describe('JSON that is valid but hazardous (rule: body-limits)', () => {
  const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
  const withValue = (json: string) => JSON.stringify(stepBody({ extra: 'HERE' })).replace('"HERE"', json);

  test.each([
    ['nesting deeper than 64 levels', nested(65), 'too_deep'],
    ['nesting 40,000 levels deep', nested(40_000), 'too_deep'],
    ['NUL in a string', '"a\\u0000b"', 'nul_character'],
    ['NUL in a key', '{"a\\u0000": 1}', 'nul_character'],
    ['an integer above 2^53', '9007199254740993', 'number_out_of_range'],
    ['an integer below -2^53', '-9007199254740993', 'number_out_of_range'],
    ['a number too large for a double', '1e999', 'number_out_of_range'],
  ])('a body with %s gets 400 invalid_request with the hazard’s code', async (_what, json, code) => {
    const { status, body } = await postRaw(withValue(json));
    expect([status, body.error.code, body.error.details[0].code]).toEqual([400, 'invalid_request', code]);
  });

  test.each([
    ['64 levels', nested(63)],
    ['the largest exact integer', '9007199254740991'],
    ['a float as JSON writes it', String(2.5e20)],
    ['digits in a string', '"9007199254740993"'],
    ['brackets in a string', JSON.stringify('['.repeat(100))],
    ['a backslash before u0000', '"\\\\u0000"'],
    ['quotes and backslashes', JSON.stringify('\\"\\\\"{[')],
    ['a long fraction', '0.1234567890123456789'],
  ])('a body with %s is accepted', async (_what, json) => {
    expect((await postRaw(withValue(json))).status).toBe(200);
  });

  test('a body with a byte order mark is accepted', async () => {
    expect((await postRaw(`\uFEFF${JSON.stringify(stepBody())}`)).status).toBe(200);
  });
});

describe('bodies with two faults (rule: body-limits)', () => {
  const deep = '['.repeat(70);
  test.each([
    ['[9007199254740993, }', 'number_out_of_range'],
    ['[}, 9007199254740993]', 'syntax'],
    ['[1 9007199254740993]', 'syntax'],
    ['[-9007199254740993x]', 'syntax'],
    [`${deep}}`, 'too_deep'],
    [`[nul, ${deep}`, 'syntax'],
    ['["\\u0000", nul]', 'nul_character'],
    ['[nul, "\\u0000"]', 'syntax'],
    ['["\\u0000 never ends', 'syntax'],
  ])('the first fault of the body %s is reported as %s, with and without padding', async (json, code) => {
    const long = await startTestService({ body: { maxBytes: 1_000_000, timeoutMs: 5_000 } });
    const failureOf = async (padding: string) =>
      (await long.call('POST', stepPath, { raw: json + padding })).body.error;
    const [short, padded] = [await failureOf(' '), await failureOf(' '.repeat(300_000))];
    const early = (await long.call('POST', stepPath, { raw: ' '.repeat(300_000) + json })).body.error;
    await long.close();
    expect(short.code).toBe(code === 'syntax' ? 'invalid_json' : 'invalid_request');
    expect(short.details[0].code).toBe(code);
    expect([padded.code, padded.details[0].code]).toEqual([short.code, code]);
    expect([early.code, early.details[0].code]).toEqual([short.code, code]);
  });
});

describe('bodies that do not conform to the schema (rule: error-table)', () => {
  test.each<[string, Record<string, unknown>, string]>([
    ['a missing field', { user_query: undefined }, 'user_query'],
    ['a wrong type', { max_iterations_left: '3' }, 'max_iterations_left'],
    ['a negative count', { max_iterations_left: -1 }, 'max_iterations_left'],
    ['a session id that is no UUID', { session_id: 'x' }, 'session_id'],
    [
      'a turn without content',
      { conversation_history: [{ role: 'user', content: 'a' }, { role: 'user' }] },
      'conversation_history.1.content',
    ],
    [
      'an unknown role',
      { conversation_history: [{ role: 'system', content: '' }] },
      'conversation_history.0.role',
    ],
    [
      'a reserve as large as the limit',
      { llm_config: { modelName: 'open', tokenLimit: 10, reservedOutputTokens: 10 } },
      'llm_config.reservedOutputTokens',
    ],
  ])('a request with %s gets 400 with the path of the field', async (_what, changes, path) => {
    const { status, body } = await post(changes);
    expect([status, body.error.code]).toEqual([400, 'invalid_request']);
    expect(body.error.details.map((detail: { path: string }) => detail.path)).toContain(path);
    expect(seen).toEqual([]);
  });

  const llm = { modelName: 'open', tokenLimit: 8000, reservedOutputTokens: 1000 };
  test.each<[Record<string, unknown>, string, string]>([
    [{ user_query: undefined }, 'user_query', 'this field is required: a string'],
    [{ session_id: undefined }, 'session_id', 'this field is required: a UUID'],
    [{ session_id: 'x' }, 'session_id', 'expected a UUID'],
    [{ llm_config: undefined }, 'llm_config', 'this field is required: an object'],
    [{ conversation_history: undefined }, 'conversation_history', 'this field is required: a list'],
    [{ max_iterations_left: undefined }, 'max_iterations_left', 'this field is required: a whole number'],
    [{ max_iterations_left: '3' }, 'max_iterations_left', 'expected a whole number'],
    [{ max_iterations_left: 1.5 }, 'max_iterations_left', 'expected a whole number'],
    [{ max_iterations_left: -1 }, 'max_iterations_left', 'expected at least 0'],
    [{ protocol: 'yaml' }, 'protocol', 'expected one of: text, xml, json, native, auto'],
    [{ include: { history: 'no' } }, 'include.history', 'expected true or false'],
    [{ llm_config: { ...llm, temperature: 3 } }, 'llm_config.temperature', 'expected at most 2'],
    [{ llm_config: { ...llm, modelName: '' } }, 'llm_config.modelName', 'expected at least 1 characters'],
    [{ tools: [{ name: 'f' }] }, 'tools.0.inputSchema', 'this field is required: an object'],
    [{ tools: [{ name: 'f', inputSchema: 'x' }] }, 'tools.0.inputSchema', 'expected an object'],
    [
      { tasks: [{ id: 1, content: '' }] },
      'tasks.0.status',
      'this field is required: one of: todo, in_progress, completed',
    ],
    [
      { conversation_history: Array(300).fill({ role: 'user' }) },
      'conversation_history.0.content',
      'this field is required: a string',
    ],
  ])('the invalid value in %j gets a message that states what to write instead', async (changes, path, message) => {
    const { body } = await post(changes);
    expect(body.error.details[0]).toMatchObject({ path, message });
  });

  test.each(['[]', '"text"', '1', 'null', 'true'])('the body %s gets 400 invalid_request', async (raw) => {
    const { status, body } = await postRaw(raw);
    expect([status, body.error.code]).toEqual([400, 'invalid_request']);
  });

  test('an error response has at most 20 details and never repeats the request', async () => {
    const { body } = await post({
      conversation_history: Array(1_000).fill({ role: 'sk-canary', content: 1 }),
    });
    expect(body.error.details).toHaveLength(20);
    expect(JSON.stringify(body)).not.toMatch(/canary/);
  });

  test('null is treated as absent for every optional field', async () => {
    const names = ['tools', 'inline_context', 'tasks', 'protocol', 'phase', 'include', 'instructions'];
    const { status } = await post(Object.fromEntries(names.map((name) => [name, null])));
    expect(status).toBe(200);
    expect(names.map((name) => seen[0]?.[name as keyof StepRequest])).toEqual(names.map(() => undefined));
  });

  test('unknown fields are ignored and reported in at most 20 warnings (rule: unknown-fields)', async () => {
    const { status, body } = await post({
      colour: 'red',
      llm_config: { modelName: 'open', tokenLimit: 10, reservedOutputTokens: 1, topP: 1 },
      tasks: [{ id: 1, content: '', status: 'todo', due: 'now' }],
    });
    expect(status).toBe(200);
    const texts = body.warnings.map(
      ({ code, message }: { code: string; message: string }) => `${code} ${message}`,
    );
    for (const path of ['colour', 'llm_config.topP', 'tasks.0.due']) {
      expect(texts).toContainEqual(expect.stringContaining(`unknown_field The field ${path} `));
    }
    const many = await post(Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`f${index}`, 1])));
    expect(many.body.warnings).toHaveLength(20);
  });

  test('fields inside a tool schema or a turn are not reported as unknown', async () => {
    const { body } = await post({
      tools: [{ name: 'f', inputSchema: { type: 'object', 'x-own': { a: [1] } } }],
      conversation_history: [{ role: 'user', content: 'a', own: { b: 1 } }],
    });
    expect(body.warnings).toEqual([]);
  });
});

describe('fields of the step response (rule: history-returned)', () => {
  test('the response returns the history as sent, followed by the new turns', async () => {
    const history = [
      { content: 'a', role: 'user', own: { deep: [null, 1.5] }, timestamp: null },
      { role: 'assistant', content: '', toolCall: { name: 'f', parameters: { b: 1, a: null }, id: null } },
      { role: 'tool_observation', content: 'x', toolResult: { success: false, result: null } },
    ];
    const { body } = await post({ conversation_history: history });
    expect(body.updated_conversation_history).toEqual([...history, { role: 'assistant', content: '42' }]);
    expect(Object.keys(body.updated_conversation_history[0])).toEqual(Object.keys(history[0] ?? {}));
  });

  test('include selects history, report and completion text of the response', async () => {
    const usual = (await post({})).body;
    expect(usual.context_report.items.map(({ id }: { id: string }) => id)).toEqual(['b.ts']);
    expect(usual.completion_text).toBeNull();
    const full = (await post({ include: { history: false, report: 'full', completion_text: true } })).body;
    expect(full.updated_conversation_history).toBeNull();
    expect(full.context_report.items).toHaveLength(2);
    expect(full.completion_text).toBe('Final Answer: 42');
    expect((await post({ include: { report: 'none' } })).body.context_report).toBeNull();
  });
});

describe('models and model keys (rule: key-form)', () => {
  const llm = (modelName: string) => ({ modelName, tokenLimit: 8000, reservedOutputTokens: 1000 });
  const key = 'sk-test-1234567890';

  test('a model without a provider gets 400 unsupported_model', async () => {
    const { status, body } = await post({ llm_config: llm('unheard-of') });
    expect([status, body.error.code]).toEqual([400, 'unsupported_model']);
    expect(body.error.details[0].message).toContain('GET /api/agent/models lists known model names');
  });

  test('the error for a model name with a provider prefix, as used for /v1, says which provider to set', async () => {
    const { status, body } = await post({ llm_config: llm('test/qwen3:8b') });
    expect([status, body.error.details[0].path]).toEqual([400, 'llm_config.modelName']);
    expect(body.error.details[0].message).toContain(
      'the name begins with the provider, as for /v1: set provider to "test" and modelName to the rest',
    );
  });

  test('a missing model key gets 401 missing_api_key', async () => {
    const { status, body } = await post({ llm_config: llm('keyed') });
    expect([status, body.error.code]).toEqual([401, 'missing_api_key']);
  });

  test.each([
    ['no key', undefined],
    ['a malformed key', 'short'],
  ])('a request with no iterations left succeeds with %s (rule: iterations)', async (_what, llmKey) => {
    const changes = { llm_config: llm('keyed'), user_api_keys: { llmKey } };
    expect((await post({ ...changes, max_iterations_left: 0 })).status).toBe(200);
    expect((await post({ ...changes, max_iterations_left: 1 })).status).toBe(401);
  });

  test.each([
    'short',
    'with a space',
    'ключ-ключ',
    'y'.repeat(8_193),
  ])('a text that cannot be a model key gets 401 malformed_api_key: %s', async (llmKey) => {
    const answer = await post({ llm_config: llm('keyed'), user_api_keys: { llmKey } });
    expect([answer.status, answer.body.error.code]).toEqual([401, 'malformed_api_key']);
    expect(JSON.stringify([answer, service.log])).not.toContain(llmKey);
  });

  test('the model key is read from the body or the header, and the header takes precedence', async () => {
    expect((await post({ llm_config: llm('keyed'), user_api_keys: { llmKey: key } })).status).toBe(200);
    expect((await post({ llm_config: llm('keyed') }, { 'X-LLM-API-Key': key })).status).toBe(200);
    const both = await post(
      { llm_config: llm('keyed'), user_api_keys: { llmKey: 'short' } },
      { 'X-LLM-API-Key': key },
    );
    expect(both.status).toBe(200);
  });

  test('the step function does not receive the model key', async () => {
    await post({ llm_config: llm('keyed'), user_api_keys: { llmKey: key } });
    expect(JSON.stringify(seen)).not.toContain(key);
  });
});

describe('paths, methods and content types', () => {
  test.each([
    '/nowhere',
    '/api/agent/nowhere',
    '/API/agent/react_step',
    '/docs/../secret',
    '/%E0%A4%A',
  ])('the unknown path %s gets 404 (rule: error-table)', async (path) => {
    const { status, body } = await service.call('GET', path);
    expect([status, body.error.code]).toEqual([404, 'not_found']);
  });

  test.each([
    ['GET', stepPath, 'POST, OPTIONS'],
    ['DELETE', stepPath, 'POST, OPTIONS'],
    ['POST', '/healthz', 'GET, HEAD, OPTIONS'],
  ])('the request %s %s gets 405 with an Allow header (rule: error-table)', async (method, path, allow) => {
    const { status, body, headers } = await service.call(method, path);
    expect([status, body.error.code, headers['allow']]).toEqual([405, 'method_not_allowed', allow]);
  });

  test('OPTIONS returns the allowed methods, and HEAD returns no body', async () => {
    const options = await service.call('OPTIONS', stepPath);
    expect([options.status, options.headers['allow']]).toEqual([204, 'POST, OPTIONS']);
    const head = await fetch(`${service.url}/healthz`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([200, '']);
  });

  const sendType = 'send the header Content-Type: application/json';
  test.each<[string, Record<string, string>, string]>([
    ['another type', { 'Content-Type': 'text/plain' }, sendType],
    ['a form', { 'Content-Type': 'application/x-www-form-urlencoded' }, sendType],
    ['another charset', { 'Content-Type': 'application/json; charset=utf-16' }, sendType],
    ['no type', { 'Content-Type': '' }, sendType],
    ['an encoding', { 'Content-Encoding': 'gzip' }, 'send the body uncompressed'],
  ])('a request with %s gets 415 and a message that states what to send (rule: error-table)', async (_what, headers, advice) => {
    const { status, body } = await postRaw(JSON.stringify(stepBody()), headers);
    expect([status, body.error.code]).toEqual([415, 'unsupported_media_type']);
    expect(body.error.details).toEqual([
      expect.objectContaining({ message: expect.stringContaining(advice) }),
    ]);
  });

  test.each([
    'application/json; charset=utf-8',
    'application/json;charset="UTF-8"',
    'Application/JSON',
  ])('the content type %s is accepted as JSON', async (type) => {
    expect((await postRaw(JSON.stringify(stepBody()), { 'Content-Type': type })).status).toBe(200);
  });

  test('a body above the limit gets 413 request_too_large (rule: body-limits)', async () => {
    const { status, body } = await post({ user_query: 'x'.repeat(200_000) });
    expect([status, body.error.code]).toEqual([413, 'request_too_large']);
  });
});

describe('ids of requests (rule: request-log)', () => {
  test('a safe request id is returned in header and body, and logged', async () => {
    const { headers, body } = await post({}, { 'X-Request-Id': 'trace_1.a-B' });
    expect([headers['x-request-id'], body.request_id]).toEqual(['trace_1.a-B', 'trace_1.a-B']);
    expect(service.log.at(-1)).toMatchObject({ request_id: 'trace_1.a-B', status: 200 });
  });

  test.each([
    'a b',
    'a;b',
    'x'.repeat(129),
    '<script>',
    'ä',
  ])('the unsafe request id %j is replaced by a UUID', async (id) => {
    const { headers } = await service.call('GET', '/healthz', { headers: { 'X-Request-Id': id } });
    expect(headers['x-request-id']).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
  });
});

describe('the request log (rule: request-log)', () => {
  test('each request logs one line with id, route, status, outcome, tokens and time, and no text of the caller', async () => {
    const before = service.log.length;
    await post({ user_query: 'secret-canary', user_api_keys: { llmKey: 'sk-canary-12345' } });
    await service.call('GET', '/secret-canary?key=secret-canary');
    const lines = service.log.slice(before);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatchObject({
      method: 'POST',
      route: stepPath,
      status: 200,
      outcome: 'answer',
      input_tokens: 12,
      output_tokens: 1,
      duration_ms: expect.any(Number),
    });
    expect(lines[1]).toMatchObject({ route: 'unknown', status: 404, outcome: 'not_found' });
    expect(JSON.stringify(lines)).not.toMatch(/canary/);
  });
});

describe('keys such as __proto__ in a request (threat 20)', () => {
  test.each([
    '{"__proto__": {"polluted": true}}',
    '{"constructor": {"prototype": {"polluted": true}}}',
    `{"llm_config": {"__proto__": {"polluted": true}, "constructor": 1}}`,
    `{"conversation_history": [{"role": "user", "content": "", "__proto__": {"polluted": true}}]}`,
    `{"tools": [{"name": "f", "inputSchema": {"__proto__": {"polluted": true}}}]}`,
  ])('the request %s does not change Object.prototype', async (json) => {
    const base = JSON.stringify(stepBody()).slice(1);
    const { status } = await postRaw(`${json.slice(0, -1)},${base}`);
    expect([200, 400]).toContain(status);
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined();
  });

  test('a turn with the keys __proto__ and constructor is returned unchanged', async () => {
    const turn = '{"role":"user","content":"a","__proto__":{"x":1},"constructor":2}';
    const raw = JSON.stringify(stepBody({ conversation_history: ['TURN'] })).replace('"TURN"', turn);
    const response = await fetch(service.url + stepPath, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: raw,
    });
    expect(await response.text()).toContain(`"updated_conversation_history":[${turn},`);
  });
});

describe('requests with long lists (rule: loop-share)', () => {
  const turns = (wrongAt: number[]) =>
    Array.from({ length: 2_000 }, (_, index) => ({
      role: wrongAt.includes(index) ? 'nobody' : 'user',
      content: `turn ${index}`,
      own: index,
    }));
  const post = (changes: Record<string, unknown>) =>
    service.call('POST', stepPath, { body: stepBody(changes) });

  test('a history of 2,000 turns is returned as sent', async () => {
    const sent = turns([]);
    const { status, body } = await post({ conversation_history: sent });
    expect(status).toBe(200);
    expect(body.updated_conversation_history.slice(0, sent.length)).toEqual(sent);
  });

  test('an invalid item of a long list is reported with its index, beside other errors', async () => {
    const { body } = await post({ conversation_history: turns([1_234]), max_iterations_left: 'many' });
    expect(body.error.details.map(({ path }: { path: string }) => path)).toEqual([
      'conversation_history.1234.role',
      'max_iterations_left',
    ]);
  });

  test('thousands of invalid items give twenty details', async () => {
    const files = Array.from({ length: 2_000 }, () => ({ path: 1, content: 2 }));
    const { status, body } = await post({ inline_context: { files } });
    expect([status, body.error.details.length]).toEqual([400, 20]);
    expect(body.error.details[0].path).toBe('inline_context.files.0.path');
  });

  test('an unknown field in an item of a long list is reported', async () => {
    const files = Array.from({ length: 1_000 }, (_, index) => ({ path: `f${index}`, content: 'x', own: 1 }));
    const { body } = await post({ inline_context: { files } });
    expect(body.warnings[0].message).toContain('inline_context.files.0.own');
  });
});
