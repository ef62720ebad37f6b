import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { StepwiseClient } from '../../src/sdk/client/stepwise-client.js';
import { createToken } from '../../src/service/operations/access/token.js';
import { ConfigError } from '../../src/service/settings/config.js';
import { startService } from '../../src/service/start.js';
import { assertKeepsContract } from '../support/contract-check.js';
import { type RawAnswer, type RawRequest, sendRaw } from '../support/raw-request.js';
import { tokenFileOf, writeTokenFile } from '../support/token-file.js';
import { until } from '../support/until.js';
import { key, startWholeService, stepRequest, uuid, type WholeService } from '../support/whole-service.js';

const stepPath = '/api/agent/react_step';
const shop = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';
const token = { everywhere: createToken(), shop: createToken(), old: createToken(), revoked: createToken() };
const others = [
  { token: token.everywhere, name: 'everywhere' },
  { token: token.shop, name: 'shop-backend', projects: [shop] },
  { token: token.old, name: 'last-year', expires: '2025-12-31' },
];
const path = writeTokenFile(...others, { token: token.revoked, name: 'revoked' });
/** Whole tokens, and substrings of them that are too long to occur by chance. */
const canaries = Object.values(token).flatMap((each) => [each, each.slice(9, 25), each.slice(-12)]);

let service: WholeService;
beforeAll(async () => {
  service = await startWholeService({ text: 'Final Answer: 42' }, { AUTH_TOKENS_FILE: path });
});
afterAll(() => service.close());

const bearing = (sent: string): [string, string] => ['Authorization', `Bearer ${sent}`];

/** Sends a request, validates the response against the contract, and checks that it contains no token. */
async function send(request: RawRequest): Promise<RawAnswer & { code?: string; detail?: string }> {
  const answer = await sendRaw(service.url, request);
  const { status, headers, text } = answer;
  expect(canaries.filter((canary) => `${JSON.stringify(headers)}${text}`.includes(canary))).toEqual([]);
  const { method = 'POST', path: at = stepPath } = request;
  if (
    text === '' ||
    !headers['content-type']?.startsWith('application/json') ||
    at === '/openapi.json' ||
    at === '/'
  )
    return answer;
  const body = JSON.parse(text);
  if (/^\/(?:api|healthz|readyz|version)/.test(at) && status !== 404) {
    assertKeepsContract(method, at, { status, headers: headers as Record<string, string>, body });
  }
  return { ...answer, code: body.error?.code, detail: body.error?.details?.[0]?.code };
}

describe('attacks on a service with tokens (rule: bearer-tokens)', () => {
  const refusals: Record<string, [RawRequest, string, string]> = {
    'no token': [{}, 'missing_token', 'Bearer'],
    'no value': [{ headers: [['Authorization', '']] }, 'malformed_token', 'Bearer'],
    'another scheme': [
      { headers: [['Authorization', `Basic ${token.everywhere}`]] },
      'malformed_token',
      'Bearer',
    ],
    'odd characters': [{ headers: [bearing(`${token.everywhere}\u00e9`)] }, 'malformed_token', 'Bearer'],
    'a list of tokens': [
      { headers: [['Authorization', `Bearer ${token.old}, Bearer ${token.everywhere}`]] },
      'malformed_token',
      'Bearer',
    ],
    'two headers': [{ headers: [bearing(token.old), bearing(token.everywhere)] }, 'repeated_token', 'Bearer'],
    'a long header': [{ headers: [bearing('a'.repeat(15_000))] }, 'malformed_token', 'Bearer'],
    'a wrong token': [{ headers: [bearing(createToken())] }, 'unknown_token', 'Bearer error="invalid_token"'],
    'a token in other case': [
      { headers: [bearing(token.everywhere.toUpperCase())] },
      'unknown_token',
      'Bearer error="invalid_token"',
    ],
    'an expired token': [{ headers: [bearing(token.old)] }, 'expired_token', 'Bearer error="invalid_token"'],
    'the key of a model': [{ headers: [bearing(key)] }, 'model_key_token', 'Bearer'],
    'a token as the model key': [
      { headers: [['X-LLM-API-Key', token.everywhere]] },
      'missing_token',
      'Bearer',
    ],
    'a token in the URL': [
      { path: `${stepPath}?access_token=${token.everywhere}` },
      'missing_token',
      'Bearer',
    ],
    'a token in a cookie': [
      { headers: [['Cookie', `token=${token.everywhere}`]] },
      'missing_token',
      'Bearer',
    ],
    'a token as the id': [{ headers: [['X-Request-Id', token.everywhere]] }, 'missing_token', 'Bearer'],
    'a body that never was valid': [{ body: 'x' }, 'missing_token', 'Bearer'],
    'a HEAD': [{ method: 'HEAD', path: '/api/agent/models' }, '', 'Bearer'],
    'the model list': [{ method: 'GET', path: '/api/agent/models' }, 'missing_token', 'Bearer'],
    'a preview': [{ path: '/api/agent/context_preview' }, 'missing_token', 'Bearer'],
    'a stream': [{ path: `${stepPath}/stream` }, 'missing_token', 'Bearer'],
    'a compaction': [{ path: '/api/agent/compact_history' }, 'missing_token', 'Bearer'],
    'another method': [{ method: 'DELETE' }, 'missing_token', 'Bearer'],
    'what is not there': [{ method: 'GET', path: '/api/nothing' }, 'missing_token', 'Bearer'],
    metrics: [{ method: 'GET', path: '/metrics' }, 'missing_token', 'Bearer'],
    'a preflight that is none': [
      { method: 'GET', path: '/api/agent/models', headers: [['Access-Control-Request-Method', 'POST']] },
      'missing_token',
      'Bearer',
    ],
  };

  test.each(
    Object.entries(refusals),
  )('a service with tokens refuses a request with 401 and a detail that names the fault: %s', async (_, [
    request,
    detail,
    challenge,
  ]) => {
    const answer = await send(request);
    expect([answer.status, answer.headers['www-authenticate']]).toEqual([401, challenge]);
    if (request.method !== 'HEAD') expect([answer.code, answer.detail]).toEqual(['unauthenticated', detail]);
  });

  test.each([
    '/API/agent/models',
    '/api/agent/models/',
    '//api/agent/models',
    '/%61pi/agent/models',
    '/api%2Fagent%2Fmodels',
    '/./api/agent/models',
    '/healthz/../api/agent/models',
    '/api/agent/models;x=1',
    '/docs/../api/agent/models',
    '/api\\agent\\models',
  ])('the path %s never returns the list of models without a token', async (odd) => {
    const { status } = await send({ method: 'GET', path: odd });
    expect([401, 404]).toContain(status);
  });

  test('a request without a valid token reaches no provider', async () => {
    const before = service.fake.requests.length;
    for (const [request] of Object.values(refusals)) await send(request);
    expect(service.fake.requests.length).toBe(before);
  });

  test.each([
    '/healthz',
    '/readyz',
    '/version',
    '/docs',
    '/openapi.json',
    '/llms.txt',
    '/',
  ])('the path %s needs no token', async (open) => {
    expect((await send({ method: 'GET', path: open })).status).toBe(200);
  });

  test('an OPTIONS request needs no token and returns only the allowed methods', async () => {
    const { status, headers } = await send({ method: 'OPTIONS' });
    expect([status, headers['allow']]).toEqual([204, 'POST, OPTIONS']);
  });

  test('a token without access to the project is refused with 403, and the error body has the history unchanged', async () => {
    const answer = await send({ headers: [bearing(token.shop)] });
    expect([answer.status, answer.code, answer.detail]).toEqual([403, 'forbidden', 'project_not_allowed']);
    expect(JSON.parse(answer.text).updated_conversation_history).toEqual([]);
    for (const at of [`${stepPath}/stream`, '/api/agent/context_preview']) {
      expect((await send({ path: at, headers: [bearing(token.shop)] })).code).toBe('forbidden');
    }
    const own = await send({
      headers: [bearing(token.shop)],
      body: stepRequest({ project_id: shop.toUpperCase() }),
    });
    expect(own.status).toBe(200);
  });

  test('the provider never receives the service token, and the log contains only the name of the token', async () => {
    const answer = await send({ headers: [bearing(token.everywhere), ['X-Request-Id', 'a-step']] });
    expect(answer.status).toBe(200);
    const seen = JSON.stringify(service.fake.requests.map(({ headers, rawBody }) => ({ headers, rawBody })));
    expect(canaries.filter((canary) => seen.includes(canary))).toEqual([]);
    const line = service.log
      .map((each) => JSON.parse(each))
      .find(({ request_id }) => request_id === 'a-step');
    expect(line).toMatchObject({ caller: 'everywhere', status: 200 });
    await send({ headers: [['X-Request-Id', 'refused']] });
    const refused = service.log
      .map((each) => JSON.parse(each))
      .find(({ request_id }) => request_id === 'refused');
    expect(refused).toMatchObject({ route: stepPath, status: 401, outcome: 'unauthenticated' });
    expect(refused).not.toHaveProperty('caller');
    const logged = service.log.join('');
    expect(canaries.filter((canary) => logged.includes(canary))).toEqual([]);
    expect(logged).not.toContain(key);
  });

  describe('a request id that contains the service token is replaced (rule: request-log)', () => {
    const random = token.everywhere.slice('stepwise_'.length);
    const basic = (user: string): [string, string] => [
      'Authorization',
      `Basic ${Buffer.from(`${user}:${token.everywhere}`).toString('base64')}`,
    ];
    const places: Record<string, RawRequest> = {
      'a step': {},
      health: { method: 'GET', path: '/healthz' },
      docs: { method: 'GET', path: '/docs' },
      'a preflight': { method: 'OPTIONS', path: stepPath },
      'what is not there': { method: 'GET', path: '/nothing' },
    };
    test.each(
      Object.entries(places),
    )('a request id that contains the token is replaced in a request for %s', async (_where, request) => {
      const ids = [random, `run-${random}`, `x-${random.slice(-8)}`, `x-${random.slice(-12).toUpperCase()}`];
      for (const id of ids) {
        const ways = [bearing(token.everywhere), bearing(random), basic('ci'), basic('')];
        for (const authorization of ways) {
          const { headers } = await send({ ...request, headers: [authorization, ['X-Request-Id', id]] });
          expect([id, headers['x-request-id']]).toEqual([
            id,
            expect.stringMatching(/^[\da-f]{8}-[\da-f-]{27}$/),
          ]);
        }
      }
      // Without an Authorization header the service recognizes a token by its prefix.
      const { headers } = await send({
        ...request,
        headers: [['X-Request-Id', `x.${random.toUpperCase()}`]],
      });
      expect(headers['x-request-id']).not.toContain(random.toUpperCase());
      const logged = service.log.join('').toLowerCase();
      expect(canaries.filter((canary) => logged.includes(canary))).toEqual([]);
    });

    test('a request id that contains any of several model keys is replaced', async () => {
      const headers: [string, string][] = ['first-plover-0123', 'second-plover-4567'].map((each) => [
        'X-LLM-API-Key',
        each,
      ]);
      const hex = (text: string) => Buffer.from(text).toString('hex');
      const inHex = [
        hex('first-plover-0123'),
        `x-${hex('second-plover-4567').toUpperCase()}`,
        hex('ver-0123'),
      ];
      for (const id of ['first-plover-0123', 'x-SECOND-PLOVER-4567', ...inHex]) {
        const answer = await send({ headers: [...headers, ['X-Request-Id', id]] });
        expect(answer.headers['x-request-id']).not.toBe(id);
      }
    });

    test('a request id without a secret is kept', async () => {
      for (const id of ['run-stepwise', 'ci', '4bf92f3577b34da6a3ce929d0e0e4736']) {
        const kept = await send({ headers: [bearing(token.everywhere), ['X-Request-Id', id]] });
        expect(kept.headers['x-request-id']).toBe(id);
      }
    });
  });

  test('a token removed from the file stops working, on open connections too (rule: token-file)', async () => {
    const client = new StepwiseClient({ baseUrl: service.url, token: token.revoked });
    await client.models();
    writeFileSync(path, tokenFileOf(...others));
    const isRevoked = async (): Promise<boolean> =>
      client.models().then(
        () => false,
        ({ code }) => code === 'unauthenticated',
      );
    await until(isRevoked);
  });
});

test('project ids are compared without case in requests, tokens and folders (rule: project-folder)', async () => {
  const lower = 'abcdef00-0000-4000-8000-00000000000a';
  const parent = mkdtempSync(join(tmpdir(), 'stepwise-projects-'));
  mkdirSync(join(parent, lower));
  writeFileSync(join(parent, lower, 'a.txt'), 'plover');
  const given = createToken();
  const tokens = writeTokenFile({ token: given, name: 'a', projects: [lower.toUpperCase()] });
  const projects = await startWholeService(undefined, { AUTH_TOKENS_FILE: tokens, PROJECTS_DIR: parent });
  for (const project_id of [lower, lower.toUpperCase()]) {
    const body = { ...stepRequest({ project_id }), explicit_context_paths: ['a.txt'] };
    const path = '/api/agent/context_preview';
    const { text } = await sendRaw(projects.url, { path, headers: [bearing(given)], body });
    expect(text).toContain('plover');
  }
  await projects.close();
});

describe('the SDK client with a token (rule: bearer-tokens)', () => {
  const request = { ...stepRequest(), user_api_keys: undefined };

  test('the SDK client sends its token with every call', async () => {
    const client = new StepwiseClient({ baseUrl: service.url, token: token.everywhere, llmKey: key });
    expect((await client.step(request)).direct_response).toBe('42');
    expect((await client.preview(request)).messages.length).toBeGreaterThan(0);
    expect((await client.models()).upstreams.length).toBeGreaterThan(0);
    const { project_id, session_id, conversation_history, llm_config } = request;
    const compaction = { project_id, session_id, conversation_history, llm_config, target_tokens: 500 };
    expect((await client.compact({ ...compaction, strategy: 'mask' })).warnings).toBeDefined();
    const events: string[] = [];
    for await (const { type } of client.stream(request)) events.push(type);
    expect(events.at(-1)).toBe('step.completed');
  });

  test('with a wrong token or none, the SDK client throws unauthenticated (401), and the error contains no token', async () => {
    for (const wrong of [token.old, createToken(), undefined]) {
      const error = await new StepwiseClient({ baseUrl: service.url, token: wrong })
        .step(request)
        .catch((e) => e);
      expect(error).toMatchObject({ code: 'unauthenticated', status: 401, retryable: false });
      expect(JSON.stringify([error.message, error.stack, error.body])).not.toContain(wrong ?? canaries[0]);
    }
  });

  test.each([
    '',
    'a b',
    'a\nb',
    'tökèn',
    'a'.repeat(513),
  ])('the SDK client refuses %j as a token, and its error does not repeat it', (odd) => {
    const make = () => new StepwiseClient({ baseUrl: service.url, token: odd });
    expect(make).toThrow(new TypeError('token must be 1 to 512 visible ASCII characters without spaces.'));
  });
});

describe('pages of another origin (rule: cross-origin)', () => {
  test('a CORS preflight needs no token, and only pages of the allowed origin can read responses, errors included', async () => {
    const CORS_ORIGINS = 'https://app.example';
    const open = await startWholeService(
      { text: 'Final Answer: 42' },
      { AUTH_TOKENS_FILE: path, CORS_ORIGINS },
    );
    const from = (origin: string, request: RawRequest): Promise<RawAnswer> =>
      sendRaw(open.url, { ...request, headers: [['Origin', origin], ...(request.headers ?? [])] });
    const preflight: RawRequest = {
      method: 'OPTIONS',
      headers: [
        ['Access-Control-Request-Method', 'POST'],
        ['Access-Control-Request-Headers', 'authorization,content-type'],
      ],
    };
    const requests = [preflight, {}, { headers: [bearing(token.everywhere)] }];
    const allowed = await Promise.all(requests.map((request) => from(CORS_ORIGINS, request)));
    const foreign = await Promise.all(requests.map((request) => from('https://evil.example', request)));
    await open.close();
    expect(allowed.map(({ status }) => status)).toEqual([204, 401, 200]);
    expect(allowed[0]?.headers['access-control-allow-headers']).toContain('Authorization');
    expect(allowed.map(({ headers }) => headers['access-control-allow-origin'])).toEqual(
      Array(3).fill(CORS_ORIGINS),
    );
    expect(foreign.map(({ headers }) => headers['access-control-allow-origin'])).toEqual(
      Array(3).fill(undefined),
    );
  });
});

describe('requests whose Host header names another host (rule: own-host)', () => {
  const hosts: [string, number][] = [
    ['localhost', 200],
    ['LOCALHOST:1', 200],
    ['127.0.0.1', 200],
    ['127.9.8.7:65535', 200],
    ['[::1]', 200],
    ['[::1]:8080', 200],
    ['evil.example', 403],
    ['evil.example:8080', 403],
    ['localhost.evil.example', 403],
    ['127.0.0.1.evil.example', 403],
    ['127.0.0.1@evil.example', 403],
    ['evil.example#localhost', 403],
    ['0.0.0.0', 403],
    ['192.168.0.1', 403],
    ['[::2]', 403],
    ['::1', 403],
    ['127.1', 403],
    ['', 403],
  ];

  test('a service without tokens refuses a Host other than its own with 403', async () => {
    const open = await startWholeService({ text: 'Final Answer: 42' });
    for (const at of ['/healthz', '/api/agent/models', '/docs']) {
      const answers = hosts.map(([host]) =>
        sendRaw(open.url, { method: 'GET', path: at, headers: [['Host', host]] }),
      );
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(
        hosts.map(([, status]) => status),
      );
    }
    const { text } = await sendRaw(open.url, { headers: [['Host', 'evil.example']] });
    // Given two Host headers, Node uses the first and another program may use the last.
    const twice = [
      ['Host', 'localhost'],
      ['Host', 'evil.example'],
    ] as const;
    const both = [twice, [...twice].reverse()].map((headers) =>
      sendRaw(open.url, { method: 'GET', path: '/healthz', headers }),
    );
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([403, 403]);
    await open.close();
    expect(JSON.parse(text).error).toMatchObject({
      code: 'forbidden',
      details: [{ path: 'Host', code: 'foreign_host' }],
    });
    expect(text).not.toContain('evil');
  });

  test.each([
    { AUTH_TOKENS_FILE: path },
    { ALLOW_UNAUTHENTICATED: 'on' },
  ])('a service with %j accepts any Host', async (settings) => {
    const open = await startWholeService(undefined, settings);
    const request = { method: 'GET', path: '/version', headers: [['Host', 'stepwise.example']] } as const;
    const { status } = await sendRaw(open.url, request);
    await open.close();
    expect(status).toBe(200);
  });
});

test('the service does not start with an invalid token file (rule: token-file)', async () => {
  const broken = writeTokenFile({ token: 'x', name: 'stepwise_canary' });
  const starting = startService({ PORT: 0, LOG_LEVEL: 'silent', AUTH_TOKENS_FILE: broken });
  await expect(starting).rejects.toThrow(ConfigError);
  await expect(starting).rejects.toThrow(
    /^AUTH_TOKENS_FILE: tokens\[0\]\.name: expected a name of at most 64/,
  );
});

test('a run whose token belongs to another project ends with the error forbidden (rule: bearer-tokens)', async () => {
  const client = new StepwiseClient({ baseUrl: service.url, token: token.shop, llmKey: key });
  const run = client.run('What?', { llmConfig: stepRequest().llm_config, projectId: uuid });
  const { stopReason, error } = await run.result();
  expect([stopReason, error?.code]).toEqual(['error', 'forbidden']);
  expect(canaries.filter((canary) => JSON.stringify(run.save()).includes(canary))).toEqual([]);
});
