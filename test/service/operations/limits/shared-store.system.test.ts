import { afterEach, expect, test } from '@jest/globals';
import { createClient } from '@redis/client';
import { pino } from 'pino';
import { SharedStore } from '../../../../src/service/operations/limits/shared-store.js';
import type { WindowCounter } from '../../../../src/service/operations/limits/window-counter.js';
import { needs } from '../../../support/needs.js';
import { RedisServer, redisServer } from '../../../support/redis.js';
import { linesInto } from '../../../support/test-service.js';
import { until } from '../../../support/until.js';

let redis: RedisServer | undefined;
let store: SharedStore | undefined;
afterEach(async () => {
  store?.close();
  await redis?.stop();
});
const log: Record<string, unknown>[] = [];
const open = async (url: string, options?: { waitMs: number }): Promise<SharedStore> => {
  log.length = 0;
  store = await SharedStore.open(url, pino(linesInto(log)), options);
  return store;
};
const sumOf = async (counter: WindowCounter, key: string) => (await counter.read(key)).sum;

test('without Redis, the shared store counts in the process and logs that once (rule: shared-limits)', async () => {
  const shared = await open('redis://user:plover@127.0.0.1:1');
  const counter = shared.createCounter('test', 60);
  for (let sum = 1; sum < 50; sum += 1) expect(await counter.add('a', 1)).toMatchObject({ sum });
  expect([await sumOf(counter, 'a'), await sumOf(counter, 'b')]).toEqual([49, 0]);
  expect([shared.isUp, shared.outages]).toEqual([false, 1]);
  expect(log).toEqual([expect.objectContaining({ level: 40, code: expect.any(String) })]);
  expect(JSON.stringify(log)).not.toContain('plover');
});

needs(redisServer).describe('limits shared through Redis (rule: shared-limits)', () => {
  test('counters with the same name share their sums and windows', async () => {
    redis = await RedisServer.start();
    const shared = await open(redis.url);
    expect(shared.isUp).toBe(true);
    const [one, two] = [shared.createCounter('test', 60), shared.createCounter('test', 60)];
    const first = await one.add('a', 5);
    const second = await two.add('a', 2);
    expect([first.sum, second.sum, await sumOf(one, 'a'), await sumOf(one, 'b')]).toEqual([5, 7, 7, 0]);
    // Redis reports the remaining time of the window, of which a millisecond may already have passed.
    expect(first.endsInMs).toBeLessThanOrEqual(60_000);
    expect(second.endsInMs).toBeLessThanOrEqual(first.endsInMs);
    expect(second.endsInMs).toBeGreaterThan(0);
    expect(log).toEqual([
      expect.objectContaining({ level: 30, msg: 'REDIS_URL: Redis responds; limits are shared' }),
    ]);
  });

  test('a blocked event loop does not count as an outage of Redis', async () => {
    redis = await RedisServer.start();
    const shared = await open(redis.url, { waitMs: 400 });
    const counter = shared.createCounter('test', 60);
    const answers = Array.from({ length: 300 }, () => counter.add('a', 1));
    for (let turn = 0; turn < 3; turn += 1) {
      holdFor(600);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
    const sums = (await Promise.all(answers)).map(({ sum }) => sum);
    expect([Math.max(...sums), shared.outages, log.length]).toEqual([300, 0, 1]);
  });

  test('a burst of 3,000 commands does not count as an outage of Redis', async () => {
    redis = await RedisServer.start();
    const shared = await open(redis.url, { waitMs: 20_000 });
    const counter = shared.createCounter('test', 3_600);
    const counts = await Promise.all(Array.from({ length: 3_000 }, () => counter.add('a', 1)));
    expect(Math.max(...counts.map(({ sum }) => sum))).toBe(3_000);
    expect(shared.outages).toBe(0);
  });

  test('during an outage, and after Redis restarts empty, sums continue from their last values', async () => {
    redis = await RedisServer.start();
    const shared = await open(redis.url);
    const counter = shared.createCounter('test', 60);
    await counter.add('a', 50);
    await counter.add('spent', 15);
    await redis.stop();
    expect((await counter.add('a', 1)).sum).toBe(51);
    expect(await sumOf(counter, 'spent')).toBe(15);
    await redis.start();
    await until(() => shared.isUp);
    expect((await counter.add('a', 1)).sum).toBe(51);
    expect(await sumOf(counter, 'spent')).toBe(15);
    expect((await counter.add('new', 1)).sum).toBe(1);
  });

  test('a Redis key of another type is counted in the process and logged once, while other keys stay shared', async () => {
    redis = await RedisServer.start();
    const client = await createClient({ url: redis.url }).connect();
    await client.lPush('stepwise:test:a', 'plover');
    await client.set('stepwise:test:b', 'plover');
    const shared = await open(redis.url);
    const counter = shared.createCounter('test', 60);
    for (const sum of [1, 2, 3]) {
      expect((await counter.add('a', 1)).sum).toBe(sum);
      expect((await counter.add('b', 1)).sum).toBe(sum);
    }
    await client.incrBy('stepwise:test:c', 7);
    client.destroy();
    expect((await counter.add('c', 1)).sum).toBe(8);
    expect([shared.isUp, shared.outages]).toEqual([true, 0]);
    expect(log.map(({ code }) => code)).toEqual([undefined, 'WRONGTYPE']);
    expect(JSON.stringify(log)).not.toContain('plover');
  });

  test.each([
    ['ERR', ['--rename-command', 'EVAL', '""']],
    ['OOM', ['--maxmemory', '1']],
  ])('a Redis that responds but cannot count is reported as down, and the error %s is logged once', async (code, options) => {
    redis = await RedisServer.start({ options });
    const shared = await open(redis.url);
    const counter = shared.createCounter('test', 60);
    for (const sum of [1, 2, 3]) {
      expect([(await counter.add('a', 1)).sum, await sumOf(counter, 'a')]).toEqual([sum, sum]);
    }
    // Waits until the store has tried Redis again. Reads succeed then, but do not prove that Redis can count.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    expect([await sumOf(counter, 'a'), (await counter.add('a', 1)).sum]).toEqual([3, 4]);
    expect([shared.isUp, shared.outages]).toEqual([false, 1]);
    expect(log.map((line) => [line['level'], line['code']])).toEqual([[40, code]]);
  });

  test.each([
    ['a wrong password', 'WRONGPASS', (url: string) => url.replace('plover', 'wrong-plover')],
    ['no password', 'NOAUTH', (url: string) => url.replace(/\/\/.*@/, '//')],
    ['a database that does not exist', 'ERR', (url: string) => `${url}/999`],
  ])('with %s, the shared store counts in the process and logs %s without the URL', async (_what, code, urlOf) => {
    redis = await RedisServer.start({ password: 'plover' });
    const shared = await open(urlOf(redis.url));
    expect(await shared.createCounter('test', 60).add('a', 1)).toMatchObject({ sum: 1 });
    expect([shared.isUp, JSON.stringify(log).includes('plover')]).toEqual([false, false]);
    expect(log.filter(({ level }) => level === 40).map((line) => line['code'])).toEqual([code]);
  });
});

/** Blocks the event loop, as heavy load does. */
function holdFor(ms: number): void {
  const end = performance.now() + ms;
  while (performance.now() < end);
}
