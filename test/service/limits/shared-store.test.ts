import { afterEach, describe, expect, test } from '@jest/globals';
import { pino } from 'pino';
import { SharedStore } from '../../../src/service/limits/shared-store.js';
import { hasRedis, RedisServer } from '../../support/redis.js';
import { linesInto } from '../../support/test-service.js';

let redis: RedisServer | undefined;
let store: SharedStore | undefined;
afterEach(async () => {
  store?.close();
  await redis?.stop();
});
const log: Record<string, unknown>[] = [];
const open = async (url: string): Promise<SharedStore> => {
  log.length = 0;
  store = await SharedStore.open(url, pino(linesInto(log)));
  return store;
};
test('where nothing listens, it counts alone, and says so once (rule: shared-limits)', async () => {
  const shared = await open('redis://user:plover@127.0.0.1:1');
  const counter = shared.createCounter('test', 60);
  for (let sum = 1; sum < 50; sum += 1) expect(await counter.add('a', 1)).toMatchObject({ sum });
  expect([await counter.read('a'), await counter.read('b')]).toEqual([49, 0]);
  expect([shared.isUp, shared.outages]).toEqual([false, 1]);
  expect(log).toEqual([expect.objectContaining({ level: 40, code: expect.any(String) })]);
  expect(JSON.stringify(log)).not.toContain('plover');
});

(hasRedis ? describe : describe.skip)('with a Redis (rule: shared-limits)', () => {
  test('a sum is one for all, and lasts as long as its window', async () => {
    redis = await RedisServer.start();
    const shared = await open(redis.url);
    expect(shared.isUp).toBe(true);
    const [one, two] = [shared.createCounter('test', 60), shared.createCounter('test', 60)];
    const first = await one.add('a', 5);
    const second = await two.add('a', 2);
    expect([first.sum, second.sum, await one.read('a'), await one.read('b')]).toEqual([5, 7, 7, 0]);
    // What is left of the window is Redis's to say; a millisecond may have passed already.
    expect(first.endsInMs).toBeLessThanOrEqual(60_000);
    expect(second.endsInMs).toBeLessThanOrEqual(first.endsInMs);
    expect(second.endsInMs).toBeGreaterThan(0);
    expect(log).toEqual([
      expect.objectContaining({ level: 30, msg: 'REDIS_URL answers: limits are shared' }),
    ]);
  });

  test('with a wrong password it counts alone, and neither is shown', async () => {
    redis = await RedisServer.start({ password: 'plover' });
    const shared = await open(redis.url.replace('plover', 'wrong-plover'));
    expect(await shared.createCounter('test', 60).add('a', 1)).toMatchObject({ sum: 1 });
    expect([shared.isUp, JSON.stringify(log).includes('plover'), log.length]).toEqual([false, false, 1]);
  });
});
