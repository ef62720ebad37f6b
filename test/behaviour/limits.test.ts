import { afterEach, describe, expect, test } from '@jest/globals';
import { StepwiseClient } from '../../src/sdk/client/stepwise-client.js';
import { createToken } from '../../src/service/operations/access/token.js';
import { readFile, textModel, user } from '../support/compat.js';
import { assertKeepsContract } from '../support/contract-check.js';
import { hangUps, hangUpsInReply } from '../support/hang-ups.js';
import { type RawAnswer, type RawRequest, sendRaw } from '../support/raw-request.js';
import { writeTokenFile } from '../support/token-file.js';
import { until } from '../support/until.js';
import { key, startWholeService, stepRequest, type WholeService } from '../support/whole-service.js';

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

const answer = { text: 'Final Answer: 42' };
const unreported = { input: 0, output: 0 };
const models: RawRequest = { method: 'GET', path: '/api/agent/models' };
const from = (address: string, request: RawRequest = models): RawRequest => ({
  ...request,
  headers: [...(request.headers ?? []), ['X-Forwarded-For', address]],
});
const bearing = (token: string, request: RawRequest = models): RawRequest => ({
  ...request,
  headers: [['Authorization', `Bearer ${token}`]],
});
const detailOf = ({ text }: RawAnswer) => JSON.parse(text).error.details[0];
const statuses = async (url: string, requests: readonly RawRequest[]): Promise<number[]> => {
  const found: number[] = [];
  for (const request of requests) found.push((await sendRaw(url, request)).status);
  return found;
};

describe('the limit of requests per minute (rule: rate-limit)', () => {
  test('a request above the limit gets 429 with Retry-After and the limit, and reaches no provider', async () => {
    const { url, fake, log } = await start(answer, { RATE_LIMIT_PER_MINUTE: '4', TRUST_PROXY: '1' });
    const step = from('1.1.1.1', {});
    expect(await statuses(url, Array(5).fill(step))).toEqual([200, 200, 200, 200, 429]);
    const refused = await sendRaw(url, step);
    const body = JSON.parse(refused.text);
    const headers = refused.headers as Record<string, string>;
    assertKeepsContract('POST', '/api/agent/react_step', { status: refused.status, headers, body });
    expect(body.error).toMatchObject({ code: 'rate_limited', retryable: true });
    expect(detailOf(refused)).toEqual({
      path: '',
      code: 'requestsPerMinute',
      message: 'the limit is 4 requests per minute',
    });
    expect(Number(headers['retry-after'])).toBe(Math.ceil(body.error.retry_after_ms / 1_000));
    expect(Number(headers['retry-after'])).toBeLessThanOrEqual(60);
    expect(fake.requests).toHaveLength(4);
    expect(log.join('')).toContain('rate_limited');
  });

  test('every API operation counts towards the limit; health, documents and OPTIONS do not', async () => {
    const { url } = await start(undefined, { RATE_LIMIT_PER_MINUTE: '3', TRUST_PROXY: '1' });
    expect(await statuses(url, Array(4).fill(from('1.1.1.1')))).toEqual([200, 200, 200, 429]);
    const paths = [
      '/api/agent/react_step/stream',
      '/api/agent/context_preview',
      '/api/agent/compact_history',
    ];
    const posts = paths.map((path) => from('1.1.1.1', { path }));
    expect(await statuses(url, posts)).toEqual([429, 429, 429]);
    const free = ['/healthz', '/readyz', '/version', '/docs', '/openapi.json'];
    expect(
      await statuses(
        url,
        free.map((path) => ({ method: 'GET', path })),
      ),
    ).toEqual(Array(5).fill(200));
    expect((await sendRaw(url, { ...models, method: 'OPTIONS' })).status).toBe(204);
  });

  test('the requests of a token are counted together from any address, and the limit of a token overrides the default', async () => {
    const [a, b] = [createToken(), createToken()];
    const AUTH_TOKENS_FILE = writeTokenFile(
      { token: a, name: 'a' },
      { token: b, name: 'b', limits: { requestsPerMinute: 3 } },
    );
    const { url } = await start(undefined, {
      AUTH_TOKENS_FILE,
      RATE_LIMIT_PER_MINUTE: '1',
      TRUST_PROXY: '1',
    });
    const ofA = ['1.1.1.1', '2.2.2.2'].map((address) => from(address, bearing(a)));
    expect(await statuses(url, ofA)).toEqual([200, 429]);
    expect(await statuses(url, Array(4).fill(bearing(b)))).toEqual([200, 200, 200, 429]);
    // Requests without a token are counted by address.
    expect(await statuses(url, Array(3).fill(models))).toEqual([401, 401, 401]);
  });

  test('the service uses X-Forwarded-For only from a trusted proxy', async () => {
    const RATE_LIMIT_PER_MINUTE = '3';
    const untrusted = await start(undefined, { RATE_LIMIT_PER_MINUTE });
    const addresses = ['1.1.1.1', '2.2.2.2', '3.3.3.3', '4.4.4.4'];
    expect(
      (
        await statuses(
          untrusted.url,
          addresses.map((each) => from(each)),
        )
      ).at(-1),
    ).toBe(429);
    for (const TRUST_PROXY of ['1', 'loopback', '10.0.0.0/8, 127.0.0.1']) {
      const { url } = await start(undefined, { RATE_LIMIT_PER_MINUTE, TRUST_PROXY });
      // The proxy wrote only the last entry; the client may have written those before it.
      const spoofed = ['8.8.8.8, 1.1.1.1', '9.9.9.9, 1.1.1.1', '7.7.7.7, 1.1.1.1', '1.1.1.1:5678', '2.2.2.2'];
      expect(
        await statuses(
          url,
          spoofed.map((each) => from(each)),
        ),
      ).toEqual([200, 200, 200, 429, 200]);
      const network = ['2001:db8::1', '2001:db8::2', '2001:db8:0:0:5::3', '2001:db8::4'];
      expect(
        await statuses(
          url,
          network.map((each) => from(each)),
        ),
      ).toEqual([200, 200, 200, 429]);
      // If `X-Forwarded-For` holds no valid address, the request counts against the limit of the proxy's address.
      const odd = ['unknown', 'x'.repeat(5_000), '<>', ''];
      expect(
        (
          await statuses(
            url,
            odd.map((each) => from(each)),
          )
        ).at(-1),
      ).toBe(429);
    }
  });
});

describe('concurrent requests (rule: token-limits)', () => {
  test('a token has a maximum of requests in flight; each counts until its response ends or its caller leaves', async () => {
    const token = createToken();
    const AUTH_TOKENS_FILE = writeTokenFile({ token, name: 'a', limits: { requestsAtOnce: 2 } });
    const { url, fake } = await start({ ...answer, delayMs: 60_000 }, { AUTH_TOKENS_FILE });
    const leaving = new AbortController();
    const client = new StepwiseClient({ baseUrl: url, token, llmKey: key });
    const request = { ...stepRequest(), user_api_keys: undefined };
    const held = [1, 2].map(() => client.step(request, { signal: leaving.signal }).catch(() => 'left'));
    await Promise.all([fake.request(0), fake.request(1)]);
    const refused = await sendRaw(url, bearing(token));
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '1']);
    expect(detailOf(refused).message).toBe('the limit is 2 concurrent requests');
    leaving.abort();
    expect(await Promise.all(held)).toEqual(['left', 'left']);
    await until(async () => (await sendRaw(url, bearing(token))).status === 200);
  });

  test('a caller who disconnects at any moment frees its concurrent request', async () => {
    const token = createToken();
    const AUTH_TOKENS_FILE = writeTokenFile({ token, name: 'a', limits: { requestsAtOnce: 3 } });
    const { url } = await start(answer, { AUTH_TOKENS_FILE });
    const client = new StepwiseClient({ baseUrl: url, token, llmKey: key });
    const request = { ...stepRequest(), user_api_keys: undefined };
    for (let round = 0; round < 60; round += 1) {
      const leaving = new AbortController();
      setTimeout(() => leaving.abort(), round % 12);
      await client.step(request, { signal: leaving.signal }).catch(() => {});
    }
    const free = async (): Promise<boolean> => {
      const all = await Promise.all([1, 2, 3].map(() => sendRaw(url, bearing(token))));
      return all.every(({ status }) => status === 200);
    };
    await until(free);
  });
});

describe('the limit of tokens per day (rule: token-limits)', () => {
  test('the token counts of the provider add up, and above the limit the service returns 429 until the day ends', async () => {
    const [poor, rich] = [createToken(), createToken()];
    const AUTH_TOKENS_FILE = writeTokenFile(
      { token: poor, name: 'poor', limits: { tokensPerDay: 150 } },
      { token: rich, name: 'rich' },
    );
    const usage = { input: 90, output: 10 };
    const { url } = await start({ ...answer, usage }, { AUTH_TOKENS_FILE });
    const path = '/api/agent/react_step/stream';
    const step = bearing(poor, {});
    // Previews and failed steps cost no tokens.
    const free = [bearing(poor, { path: '/api/agent/context_preview' }), bearing(poor, { body: {} })];
    expect(await statuses(url, [...free, ...free, step, { ...step, path }, step])).toEqual([
      200, 400, 200, 400, 200, 200, 429,
    ]);
    const refused = await sendRaw(url, step);
    expect(detailOf(refused)).toMatchObject({ code: 'tokensPerDay' });
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0);
    expect(Number(refused.headers['retry-after'])).toBeLessThanOrEqual(3_600);
    expect(await statuses(url, Array(3).fill(bearing(rich, {})))).toEqual([200, 200, 200]);
  });

  test('of 100 streams whose caller disconnects, none reaches the provider once their prompts have used up the daily limit', async () => {
    const token = createToken();
    const AUTH_TOKENS_FILE = writeTokenFile({ token, name: 'a', limits: { tokensPerDay: 1_000 } });
    const { url, fake } = await start({ ...answer, delayMs: 60_000 }, { AUTH_TOKENS_FILE });
    const found = await hangUps(100, { urls: [url], token, fake });
    const passed = found.filter((status) => status !== 429).length;
    expect(passed).toBe(found.indexOf(429));
    expect(passed).toBeGreaterThan(0);
    expect(passed).toBeLessThanOrEqual(3);
  });

  test('replies are charged although the caller disconnects: of 100 such streams, at most 2 start before the daily limit returns 429', async () => {
    const token = createToken();
    // If only prompts were charged, this limit would let more than 20 streams pass.
    const AUTH_TOKENS_FILE = writeTokenFile({ token, name: 'a', limits: { tokensPerDay: 20_000 } });
    const chunks = Array.from({ length: 2_000 }, () => 'word '.repeat(100));
    const { url } = await start({ chunks }, { AUTH_TOKENS_FILE });
    const found = await hangUpsInReply(100, { urls: [url], token, chars: 150_000 });
    const passed = found.filter((status) => status === 0).length;
    expect(found.slice(passed)).toEqual(Array(100 - passed).fill(429));
    expect(passed).toBeGreaterThan(0);
    expect(passed).toBeLessThanOrEqual(2);
  });

  test('a call that the provider refuses costs no tokens', async () => {
    const token = createToken();
    const AUTH_TOKENS_FILE = writeTokenFile({ token, name: 'a', limits: { tokensPerDay: 10 } });
    const { url } = await start({ fault: 'overloaded' }, { AUTH_TOKENS_FILE });
    expect(await statuses(url, Array(3).fill(bearing(token, {})))).toEqual([503, 503, 503]);
  });

  test.each([
    ['neither count', unreported],
    ['only the input', { input: 5, output: 0 }],
  ])('a reply is charged for its text if the provider reports %s', async (_, usage) => {
    const token = createToken();
    const AUTH_TOKENS_FILE = writeTokenFile({ token, name: 'a', limits: { tokensPerDay: 10_000 } });
    const text = `Final Answer: ${'word '.repeat(10_000)}`;
    const { url } = await start({ text, usage }, { AUTH_TOKENS_FILE });
    expect(await statuses(url, Array(2).fill(bearing(token, {})))).toEqual([200, 429]);
  });

  test('a reply is charged for its prompt if the provider reports only the output', async () => {
    const token = createToken();
    const AUTH_TOKENS_FILE = writeTokenFile({ token, name: 'a', limits: { tokensPerDay: 10 } });
    const { url } = await start({ ...answer, usage: { input: 0, output: 1 } }, { AUTH_TOKENS_FILE });
    expect(await statuses(url, Array(2).fill(bearing(token, {})))).toEqual([200, 429]);
  });

  test('if the provider refuses the second call of a request, the first call is still charged', async () => {
    const token = createToken();
    const AUTH_TOKENS_FILE = writeTokenFile({ token, name: 'a', limits: { tokensPerDay: 10 } });
    const script = [
      { text: 'Action: read_file(path="a', usage: unreported },
      { fault: 'unauthorized' },
    ] as const;
    const { url, fake } = await start(script, { AUTH_TOKENS_FILE });
    const body = { model: textModel, messages: [user('Look.')], tools: [readFile] };
    const request = bearing(token, { path: '/v1/chat/completions', body });
    expect(await statuses(url, [request, request])).toEqual([200, 429]);
    expect(fake.requests).toHaveLength(2);
  });
});
