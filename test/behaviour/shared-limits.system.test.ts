import { afterEach, expect, jest, test } from '@jest/globals';
import { startFakeProvider } from '../../src/offline/fake-provider.js';
import { createToken } from '../../src/service/operations/access/token.js';
import { hangUps, hangUpsInReply } from '../support/hang-ups.js';
import { needs } from '../support/needs.js';
import { type RawRequest, sendRaw } from '../support/raw-request.js';
import { RedisServer, redisServer } from '../support/redis.js';
import { writeTokenFile } from '../support/token-file.js';
import { until } from '../support/until.js';
import { startWholeService, type WholeService } from '../support/whole-service.js';

jest.setTimeout(60_000);
const leftovers: { close?(): Promise<void>; stop?(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of leftovers.splice(0).reverse()) await (each.close?.() ?? each.stop?.());
});

const [token, another] = [createToken(), createToken()];
const password = 'canary-plover-0123';
const AUTH_TOKENS_FILE = writeTokenFile(
  { token, name: 'a', limits: { requestsPerMinute: 6 } },
  { token: another, name: 'b', limits: { requestsPerMinute: 6 } },
);

async function startRedis(): Promise<RedisServer> {
  const redis = await RedisServer.start({ password });
  leftovers.push(redis);
  return redis;
}
async function startService(redis: RedisServer, tokens = AUTH_TOKENS_FILE): Promise<WholeService> {
  const environment = { AUTH_TOKENS_FILE: tokens, REDIS_URL: redis.url };
  const service = await startWholeService(
    { text: 'Final Answer: 42', usage: { input: 90, output: 10 } },
    environment,
  );
  leftovers.push(service);
  return service;
}

const bearing = (request: RawRequest, sent = token): RawRequest => ({
  ...request,
  headers: [['Authorization', `Bearer ${sent}`]],
});
const models = bearing({ method: 'GET', path: '/api/agent/models' });
const status = async (url: string, request = models): Promise<number> => (await sendRaw(url, request)).status;
const statuses = async (urls: readonly string[], request = models): Promise<number[]> => {
  const found: number[] = [];
  for (const url of urls) found.push(await status(url, request));
  return found;
};
const linesOf = ({ log }: WholeService) =>
  log.map((line) => JSON.parse(line)).filter(({ msg }) => String(msg).startsWith('REDIS_URL'));
const isShared = (service: WholeService) => linesOf(service).at(-1)?.level === 30;

needs(redisServer).describe('limits of several processes with one Redis (rule: shared-limits)', () => {
  test('two processes count requests per minute together', async () => {
    const redis = await startRedis();
    const [one, two] = [await startService(redis), await startService(redis)];
    const taken = await statuses([one.url, two.url, one.url, two.url, one.url, two.url, one.url, two.url]);
    expect(taken).toEqual([200, 200, 200, 200, 200, 200, 429, 429]);
  });

  test('two processes count tokens per day together', async () => {
    const redis = await startRedis();
    const file = writeTokenFile({ token, name: 'a', limits: { tokensPerDay: 150 } });
    const [one, two] = [await startService(redis, file), await startService(redis, file)];
    expect(await statuses([one.url, two.url], bearing({}))).toEqual([200, 200]);
    await until(async () => (await status(one.url)) === 429 && (await status(two.url)) === 429);
  });

  test('two processes together charge the prompts of disconnected callers: at most 4 of 100 streams reach the provider', async () => {
    const redis = await startRedis();
    const file = writeTokenFile({ token, name: 'a', limits: { tokensPerDay: 1_000 } });
    const fake = await startFakeProvider({ text: 'Final Answer: 42', delayMs: 60_000 });
    leftovers.push(fake);
    const replicas = await Promise.all(
      [1, 2].map(() =>
        startWholeService(undefined, {
          AUTH_TOKENS_FILE: file,
          REDIS_URL: redis.url,
          OPENAI_UPSTREAM_URL: `${fake.url}/v1`,
        }),
      ),
    );
    leftovers.push(...replicas);
    const found = await hangUps(100, { urls: replicas.map(({ url }) => url), token, fake });
    const passed = found.filter((status) => status !== 429).length;
    expect(passed).toBeGreaterThan(0);
    expect(passed).toBeLessThanOrEqual(4);
  });

  test('two processes together charge the replies to disconnected callers: at most 3 of 100 streams start', async () => {
    const redis = await startRedis();
    const file = writeTokenFile({ token, name: 'a', limits: { tokensPerDay: 20_000 } });
    const chunks = Array.from({ length: 2_000 }, () => 'word '.repeat(100));
    const environment = { AUTH_TOKENS_FILE: file, REDIS_URL: redis.url };
    const replicas = await Promise.all([1, 2].map(() => startWholeService({ chunks }, environment)));
    leftovers.push(...replicas);
    const urls = replicas.map(({ url }) => url);
    const found = await hangUpsInReply(100, { urls, token, chars: 150_000 });
    const passed = found.filter((status) => status === 0).length;
    expect(passed).toBeGreaterThan(0);
    expect(passed).toBeLessThanOrEqual(3);
    expect(found.slice(-90)).toEqual(Array(90).fill(429));
  });

  test('while Redis is down each process limits with its own counts and warns once; afterwards they share again', async () => {
    const redis = await startRedis();
    const [one, two] = [await startService(redis), await startService(redis)];
    expect(await statuses(Array(6).fill(two.url))).toEqual(Array(6).fill(200));
    await redis.stop();
    await until(() => [one, two].every((service) => linesOf(service).some(({ level }) => level === 40)));
    // The process that counted the requests still refuses the caller; the other process counts separately.
    expect(await status(two.url)).toBe(429);
    expect(await statuses(Array(7).fill(one.url))).toEqual([200, 200, 200, 200, 200, 200, 429]);
    const told = linesOf(one).filter(({ level }) => level === 40);
    expect(told).toEqual([
      expect.objectContaining({ msg: expect.stringContaining('each process counts its own limits') }),
    ]);
    await redis.start();
    await until(() => [one, two].every(isShared));
    // Redis restarted without its counts, but the processes still have theirs.
    expect(await statuses([one.url, two.url])).toEqual([429, 429]);
    const other = bearing({ method: 'GET', path: '/api/agent/models' }, another);
    expect(await statuses([one.url, two.url, one.url, two.url, one.url, two.url, one.url], other)).toEqual([
      200, 200, 200, 200, 200, 200, 429,
    ]);
  });

  test('a caller above its limit stays refused, even if its burst of requests makes Redis seem down', async () => {
    const redis = await startRedis();
    const service = await startService(redis);
    expect(await statuses(Array(7).fill(service.url))).toEqual([200, 200, 200, 200, 200, 200, 429]);
    const found = await Promise.all(Array.from({ length: 400 }, () => status(service.url)));
    expect(new Set(found)).toEqual(new Set([429]));
  });

  test('while Redis does not respond, no request waits for it and none fails', async () => {
    const redis = await startRedis();
    const service = await startService(redis);
    expect(await status(service.url)).toBe(200);
    redis.signal('SIGSTOP');
    expect(await statuses(Array(5).fill(service.url))).toEqual(Array(5).fill(200));
    expect(await status(service.url)).toBe(429);
    expect(linesOf(service).at(-1)).toMatchObject({ level: 40, code: 'TIMEOUT' });
    redis.signal('SIGCONT');
    await until(async () => {
      await status(service.url);
      return isShared(service);
    });
  });

  test('the service starts without Redis and shares its limits once Redis is up', async () => {
    const redis = await startRedis();
    await redis.stop();
    const service = await startService(redis);
    expect(await status(service.url)).toBe(200);
    await redis.start();
    await until(() => isShared(service));
  });

  test('the log contains neither the Redis password nor a token', async () => {
    const redis = await startRedis();
    const service = await startService(redis);
    await status(service.url);
    await redis.stop();
    await until(() => linesOf(service).some(({ level }) => level === 40));
    const logged = service.log.join('');
    expect(logged).not.toMatch(/plover|stepwise_/);
  });
});
