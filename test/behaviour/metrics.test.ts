import { readFileSync } from 'node:fs';
import { METHODS } from 'node:http';
import { connect } from 'node:net';
import { afterEach, describe, expect, test } from '@jest/globals';
import { createToken } from '../../src/service/operations/access/token.js';
import { sendRaw } from '../support/raw-request.js';
import { type Scrape, scrape } from '../support/scrape.js';
import { streamStep } from '../support/stream-step.js';
import { writeTokenFile } from '../support/token-file.js';
import { until } from '../support/until.js';
import {
  key,
  llmConfig,
  startWholeService,
  stepRequest,
  type WholeService,
} from '../support/whole-service.js';

const services: WholeService[] = [];
afterEach(async () => {
  await Promise.all(services.splice(0).map((service) => service.close()));
});
type Starting = Parameters<typeof startWholeService>;
const start = async (...[script, environment]: Starting): Promise<WholeService> => {
  const service = await startWholeService(script, environment);
  services.push(service);
  return service;
};

const answer = { text: 'Final Answer: 42', usage: { input: 120, cachedInput: 100, output: 7 } };
const route = '/api/agent/react_step';
const stream = `${route}/stream`;
const post = (url: string, body: string, init: RequestInit = {}): Promise<Response> =>
  fetch(url, { method: 'POST', headers: { 'Content-Type': 'application/json' }, body, ...init });

/** Sends the bytes on a new connection and returns everything received until it closes. */
const sendBytes = (url: string, sent: string): Promise<string> =>
  new Promise((resolve) => {
    let taken = '';
    const socket = connect(Number(new URL(url).port), '127.0.0.1')
      .setEncoding('latin1')
      .on('data', (text) => (taken += text))
      .on('error', () => {})
      .on('close', () => resolve(taken));
    socket.write(sent);
  });

describe('metrics of requests and steps (rule: metrics)', () => {
  test('each request counts once, by route, method, status and outcome', async () => {
    const { url, step, post: ask } = await start([answer, { fault: 'overloaded' }, { fault: 'overloaded' }]);
    const before = await scrape(url);
    await step();
    await step();
    await ask(route, { user_query: 1 });
    for (const path of ['/nothing/here', '/metrics/x', '/healthz']) await fetch(url + path);
    await fetch(url + route);
    await fetch(url + route, { method: 'DELETE' });
    const after = await scrape(url);
    const counted = (labels: Record<string, string>): number =>
      after.sum('stepwise_http_requests_total', labels) - before.sum('stepwise_http_requests_total', labels);
    expect([
      counted({ route, method: 'POST', status: '200', outcome: 'answer' }),
      counted({ route, status: '503', outcome: 'upstream_overloaded' }),
      counted({ route, status: '400', outcome: 'invalid_request' }),
      counted({ route: 'unknown', method: 'GET', status: '404', outcome: 'not_found' }),
      counted({ route: '/healthz', status: '200', outcome: 'ok' }),
      counted({ route, method: 'GET', status: '405', outcome: 'method_not_allowed' }),
      counted({ route, method: 'other', status: '405', outcome: 'method_not_allowed' }),
      counted({ route: '/metrics' }),
      counted({}),
    ]).toEqual([1, 1, 1, 2, 1, 1, 1, 1, 9]);
    const taken = (name: string, labels: Record<string, string>): number =>
      after.sum(name, labels) - before.sum(name, labels);
    expect(taken('stepwise_http_request_duration_seconds_count', { route })).toBe(5);
    expect(taken('stepwise_step_duration_seconds_count', { status: 'direct_response_provided' })).toBe(1);
    expect(taken('stepwise_step_duration_seconds_count', { status: 'failed' })).toBe(1);
  });

  test.each([
    ['malformed', 'no HTTP at all\r\n\r\n', '400'],
    ['malformed', 'GET / HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n', '400'],
    ['head_too_large', `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, '431'],
    ['too_many_requests', 'GET /openapi.yaml HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(500), undefined],
  ])('a connection closed because of an invalid request counts once: %s', async (cause, sent, status) => {
    const { url, log } = await start();
    const before = log.length;
    const answer = await sendBytes(url, sent);
    const refused = await scrape(url);
    expect(refused.sum('stepwise_refused_connections_total', { cause })).toBe(1);
    expect(refused.sum('stepwise_refused_connections_total')).toBe(1);
    if (status === undefined) return;
    expect(answer).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(log.slice(before)).toHaveLength(1); // the log line of the scrape
  });

  test('a pending request counts as in flight, and as 499 once its caller has left', async () => {
    const { url } = await start({ fault: 'slow-headers' });
    const leaving = new AbortController();
    const left = [route, stream].map((path) =>
      post(url + path, JSON.stringify(stepRequest()), { signal: leaving.signal }),
    );
    await until(async () => (await scrape(url)).sum('stepwise_requests_in_flight') === 2);
    const during = await scrape(url);
    expect(during.sum('stepwise_http_requests_total', { status: '499' })).toBe(0);
    leaving.abort();
    await Promise.allSettled(left);
    await until(async () => (await scrape(url)).sum('stepwise_requests_in_flight') === 0);
    const after = await scrape(url);
    const callers = { status: '499', outcome: 'caller_left', method: 'POST' };
    expect(after.sum('stepwise_http_requests_total', { ...callers, route })).toBe(1);
    expect(after.sum('stepwise_http_requests_total', { ...callers, route: stream })).toBe(1);
    expect(after.sum('stepwise_step_duration_seconds_count', { status: 'failed' })).toBe(2);
  });

  test('token metrics are the counts that the upstream reports, plain and streamed', async () => {
    const service = await start(answer);
    await service.step();
    await service.step({ llm_config: { ...llmConfig('openai'), modelName: 'any', provider: 'local' } });
    await streamStep(service);
    const { sum } = await scrape(service.url);
    const tokens = (kind: string, upstream: string): number =>
      sum(`stepwise_model_${kind}_tokens_total`, { upstream });
    expect(['input', 'cached_input', 'output'].map((kind) => tokens(kind, 'openai'))).toEqual([240, 200, 14]);
    expect(['input', 'cached_input', 'output'].map((kind) => tokens(kind, 'local'))).toEqual([120, 100, 7]);
  });
});

describe('metrics of upstreams (rule: metrics)', () => {
  const asked = (text: Scrape, upstream: string, outcome: string): number =>
    text.sum('stepwise_upstream_request_duration_seconds_count', { upstream, outcome });

  test('each upstream request counts by its outcome, a retry separately', async () => {
    const service = await start(answer);
    const { url, fake, step } = service;
    await step();
    for (const fault of [
      'rate-limited',
      'overloaded',
      'server-error',
      'reset',
      'redirect',
      'bad-request',
    ] as const) {
      fake.script({ fault });
      await step();
    }
    const found = await scrape(url);
    const requests = fake.requests.filter(({ path }) => path.endsWith('/chat/completions')).length;
    expect(found.sum('stepwise_upstream_request_duration_seconds_count', { upstream: 'openai' })).toBe(
      requests,
    );
    const outcomes = [
      'ok',
      'rate_limited',
      'overloaded',
      'failed',
      'unreachable',
      'rejected',
      'invalid_response',
    ];
    expect(outcomes.map((outcome) => Math.min(1, asked(found, 'openai', outcome)))).toEqual(Array(7).fill(1));
    expect(asked(found, 'openai', 'ok')).toBe(1);
    expect(asked(found, 'openai', 'rate_limited')).toBe(2);
    expect(found.sum('stepwise_upstream_request_duration_seconds_count', { upstream: 'local' })).toBe(0);
  });

  test('upstream requests are in flight until they end or their callers leave', async () => {
    const { url, fake } = await start({ fault: 'stalled-body' });
    const leaving = new AbortController();
    const left = [route, stream].map((path) =>
      post(url + path, JSON.stringify(stepRequest()), { signal: leaving.signal }),
    );
    await Promise.all([fake.request(0), fake.request(1)]);
    const during = await scrape(url);
    expect(during.sum('stepwise_upstream_requests_in_flight', { upstream: 'openai' })).toBe(2);
    leaving.abort();
    await Promise.allSettled(left);
    await until(async () => (await scrape(url)).sum('stepwise_upstream_requests_in_flight') === 0);
    expect(asked(await scrape(url), 'openai', 'caller_left')).toBe(2);
  });

  test('the service measures the time to the first byte of a streamed reply', async () => {
    const service = await start(answer);
    await service.step();
    await streamStep(service);
    const { sum } = await scrape(service.url);
    expect(sum('stepwise_upstream_first_byte_seconds_count', { upstream: 'openai' })).toBe(1);
    expect(sum('stepwise_upstream_first_byte_seconds_sum')).toBeLessThanOrEqual(
      sum('stepwise_upstream_request_duration_seconds_sum'),
    );
  });
});

describe('metrics under load (rule: metrics)', () => {
  test('an overloaded service reports it in a gauge and counts refusals by cause', async () => {
    const { url, step } = await start({ fault: 'slow-headers' }, { MAX_IN_FLIGHT: '1' });
    const leaving = new AbortController();
    const held = post(url + route, JSON.stringify(stepRequest()), { signal: leaving.signal });
    await until(async () => (await scrape(url)).sum('stepwise_requests_in_flight') === 1);
    const refused = await Promise.all([step(), step(), step()]);
    expect(refused.map(({ status }) => status)).toEqual([503, 503, 503]);
    const { sum } = await scrape(url);
    expect(sum('stepwise_overload_refusals_total', { cause: 'in_flight' })).toBe(3);
    expect(sum('stepwise_http_requests_total', { route, status: '503', outcome: 'overloaded' })).toBe(
      sum('stepwise_overload_refusals_total'),
    );
    expect(sum('stepwise_requests_in_flight_max')).toBe(1);
    leaving.abort();
    await held.catch(() => {});
  });

  test('requests above a limit are counted by limit, not by caller', async () => {
    const [a, b] = [createToken(), createToken()];
    const { url } = await start(answer, {
      AUTH_TOKENS_FILE: writeTokenFile(
        { token: a, name: 'plover', limits: { requestsPerMinute: 1 } },
        { token: b, name: 'xyzzy', limits: { tokensPerDay: 100 } },
      ),
    });
    const bearing = (token: string) => ({ headers: [['Authorization', `Bearer ${token}`]] as const });
    const statuses: number[] = [];
    for (const token of [a, a, a, b, b]) statuses.push((await sendRaw(url, bearing(token))).status);
    expect(statuses).toEqual([200, 429, 429, 200, 429]);
    const { sum, text } = await scrape(url, { Authorization: `Bearer ${b}` });
    expect(sum('stepwise_limited_requests_total', { limit: 'requests_per_minute' })).toBe(2);
    expect(sum('stepwise_limited_requests_total', { limit: 'tokens_per_day' })).toBe(1);
    expect(sum('stepwise_http_requests_total', { outcome: 'rate_limited' })).toBe(3);
    expect(text).not.toMatch(/plover|xyzzy/);
  });

  test('concurrent scrapes each get the complete metrics', async () => {
    const { url, step } = await start(answer);
    await step();
    const all = await Promise.all(Array.from({ length: 50 }, () => scrape(url)));
    const steps = all.map(({ sum }) =>
      sum('stepwise_step_duration_seconds_count', { status: 'direct_response_provided' }),
    );
    expect(steps).toEqual(Array(50).fill(1));
  });
});

describe('access to the metrics (rules: bearer-tokens, own-host)', () => {
  test('with tokens configured only callers with a token can read the metrics', async () => {
    const token = createToken();
    const { url } = await start(answer, { AUTH_TOKENS_FILE: writeTokenFile({ token, name: 'prometheus' }) });
    const metrics = { method: 'GET', path: '/metrics' };
    const refused = await sendRaw(url, metrics);
    expect([refused.status, refused.headers['www-authenticate']]).toEqual([401, 'Bearer']);
    const allowed = await sendRaw(url, { ...metrics, headers: [['Authorization', `Bearer ${token}`]] });
    expect(allowed.status).toBe(200);
    expect(allowed.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    expect(allowed.headers['cache-control']).toBe('no-store');
  });

  test('without tokens, only requests with the Host localhost can read the metrics; another Host gets 403', async () => {
    const { url } = await start(answer);
    const ask = (host: string) =>
      sendRaw(url, { method: 'GET', path: '/metrics', headers: [['Host', host]] });
    expect((await ask('evil.example')).status).toBe(403);
    expect((await ask('localhost')).status).toBe(200);
  });
});

describe('the contents of requests are not in the metrics (rule: metrics)', () => {
  /** Gauges of the process, which change without any request. */
  const ofTheProcess = /^(?:process|nodejs)_/;
  const own = ({ series }: Scrape): string[] => series.filter((each) => !ofTheProcess.test(each)).sort();

  test('no text of a caller creates a metric series', async () => {
    const { url, fake } = await start(answer);
    const send = async (index: number): Promise<void> => {
      const config = { ...llmConfig('openai'), modelName: `model-${index}` };
      const headers = [
        ['X-Request-Id', `id-${index}`],
        ['Authorization', `Bearer token-${index}`],
        ['X-LLM-API-Key', `sk-key-${index}`],
        ['User-Agent', `agent-${index}`],
      ] as const;
      const method = METHODS[index % METHODS.length] ?? 'GET';
      await sendRaw(url, { headers, body: stepRequest({ llm_config: config, session_id: uuidOf(index) }) });
      await sendRaw(url, {
        headers,
        body: stepRequest({ llm_config: { ...config, provider: `p${index}` } }),
      });
      await sendRaw(url, { headers, path: `/api/${index}/../agent?q=${index}`, method: 'GET' });
      if (method !== 'CONNECT') await sendRaw(url, { headers, path: `/${index}`, method, body: {} });
      if (method !== 'CONNECT') await sendRaw(url, { headers, path: route, method, body: {} });
    };
    for (let index = 0; index < METHODS.length; index += 1) await send(index);
    await scrape(url);
    const before = own(await scrape(url));
    for (let round = 1; round <= 10; round += 1) {
      await Promise.all(METHODS.map((_, index) => send(round * METHODS.length + index)));
    }
    const after = await scrape(url);
    expect(fake.requests.length).toBeGreaterThan(300);
    expect(after.sum('stepwise_http_requests_total')).toBeGreaterThan(1_500);
    // On a busy machine the service may have refused some requests.
    const made = own(after).filter((each) => !before.includes(each) && !each.includes('"overloaded"'));
    expect(made).toEqual([]);
  }, 120_000);

  test('the metrics contain no key, token, path, name or text of a caller', async () => {
    const token = createToken();
    const { url, fake } = await start(({ body }) => ({ text: `Final Answer: ${JSON.stringify(body)}` }), {
      AUTH_TOKENS_FILE: writeTokenFile({ token, name: 'plover' }),
    });
    const headers = [
      ['Authorization', `Bearer ${token}`],
      ['X-LLM-API-Key', key],
    ] as const;
    for (const path of [`/${key}`, `/api/${token}`, `${route}?key=${key}`, `/metrics/${key}`]) {
      await sendRaw(url, { method: 'GET', path, headers });
    }
    const withKey = { ...llmConfig('openai'), modelName: key };
    await sendRaw(url, { headers, body: stepRequest({ llm_config: withKey, user_query: key }) });
    await sendRaw(url, { headers, body: stepRequest({ llm_config: { ...withKey, provider: token } }) });
    for (const fault of ['echoed-key', 'not-found', 'html', 'redirect'] as const) {
      fake.script({ fault });
      await sendRaw(url, { headers });
    }
    const { text } = await scrape(url, { Authorization: `Bearer ${token}` });
    const secrets = [key, token].flatMap((secret) => [
      secret,
      secret.slice(0, 16),
      secret.slice(-10),
      Buffer.from(secret).toString('base64').slice(0, 16),
    ]);
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([]);
    expect(text).not.toMatch(/plover|gpt-4o|0b9e2f7e/);
  });
});

test('the reference lists exactly the metrics of the service, with types and labels (rule: metrics)', async () => {
  const { url, step, fake } = await start(answer, {
    RATE_LIMIT_PER_MINUTE: '1000',
    REDIS_URL: 'redis://127.0.0.1:1',
  });
  await step();
  fake.script({ fault: 'rate-limited' });
  await step();
  const { metrics } = await scrape(url);
  const page = readFileSync('docs/reference/service.md', 'utf8');
  const rows = [...page.matchAll(/^\| `(stepwise_\w+)` \| (\w+) \|([^|]*)\|/gm)];
  const documented = rows.map(([, name, type, labels = '']) => [
    name,
    { type, labels: [...labels.matchAll(/`(\w+)`/g)].map(([, label]) => label) },
  ]);
  expect(Object.fromEntries(metrics)).toEqual(Object.fromEntries(documented));
  expect(rows.length).toBeGreaterThan(12);
});

const uuidOf = (index: number): string => `0b9e2f7e-5a57-4c7a-9c0a-${String(index).padStart(12, '0')}`;
