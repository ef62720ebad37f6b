import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { type Allowance, CallerLimits } from '../../../../src/service/operations/limits/caller-limits.js';
import { MemoryCounter } from '../../../../src/service/operations/limits/window-counter.js';

const noon = Date.UTC(2026, 10, 22, 12);
const hour = 3_600_000;

function limitsOf({ requestsPerMinute = 0, now = () => noon } = {}): CallerLimits {
  const [requests, tokens] = [new MemoryCounter(60), new MemoryCounter(86_400)];
  return new CallerLimits({ requestsPerMinute, requests, tokens, now });
}
const of = (key: string, allowance: Allowance = {}) => ({ key, allowance });

describe('requests per minute (rule: rate-limit)', () => {
  test('each caller has its own limit, and exceeding it returns the limit and the remaining time', async () => {
    const limits = limitsOf({ requestsPerMinute: 2 });
    const answers = [await limits.count(of('a')), await limits.count(of('a')), await limits.count(of('a'))];
    expect(answers).toEqual([
      undefined,
      undefined,
      { limit: 'requestsPerMinute', allowed: 2, retryAfterMs: expect.any(Number) },
    ]);
    expect(answers[2]?.retryAfterMs).toBeGreaterThan(0);
    expect(answers[2]?.retryAfterMs).toBeLessThanOrEqual(60_000);
    expect(await limits.count(of('b'))).toBeUndefined();
  });

  test('a token’s own limit takes precedence over the setting', async () => {
    const limits = limitsOf({ requestsPerMinute: 1 });
    const wide = of('wide', { requestsPerMinute: 3 });
    for (let request = 0; request < 3; request += 1) expect(await limits.count(wide)).toBeUndefined();
    expect(await limits.count(wide)).toMatchObject({ allowed: 3 });
  });

  test('a limit of 0 requests per minute is unlimited', async () => {
    const limits = limitsOf();
    for (let request = 0; request < 100; request += 1) expect(await limits.count(of('a'))).toBeUndefined();
  });
});

test('the counters of requests and of tokens are queried concurrently, because each may wait for Redis (rule: shared-limits)', async () => {
  const asked: string[] = [];
  const slow = (name: string) => async () => {
    asked.push(name);
    await nextTurn();
    expect(asked).toEqual(['requests', 'tokens']);
    return { sum: 9, endsInMs: 1_000 };
  };
  const [requests, tokens] = ['requests', 'tokens'].map((name) => ({ add: slow(name), read: slow(name) }));
  if (!requests || !tokens) throw new Error('There are two.');
  const limits = new CallerLimits({ requestsPerMinute: 1, requests, tokens });
  expect(await limits.count(of('a', { tokensPerDay: 1 }))).toMatchObject({ limit: 'requestsPerMinute' });
});

describe('concurrent requests (rule: token-limits)', () => {
  test('when one of the allowed concurrent requests ends, another one may start', () => {
    const limits = limitsOf();
    const two = of('a', { requestsAtOnce: 2 });
    expect([limits.enter(two), limits.enter(two)]).toEqual([undefined, undefined]);
    expect(limits.enter(two)).toEqual({ limit: 'requestsAtOnce', allowed: 2, retryAfterMs: 1_000 });
    limits.leave(two);
    expect(limits.enter(two)).toBeUndefined();
    expect(limits.enter(of('b', { requestsAtOnce: 1 }))).toBeUndefined();
  });
});

describe('tokens per day (rule: token-limits)', () => {
  test('used tokens count until the end of the UTC day, and requests are rejected only after the limit has been reached', async () => {
    let time = noon;
    const limits = limitsOf({ now: () => time });
    const thousand = of('a', { tokensPerDay: 1_000 });
    await limits.spend(thousand, 999);
    expect(await limits.count(thousand)).toBeUndefined();
    await limits.spend(thousand, 500);
    expect(await limits.count(thousand)).toEqual({
      limit: 'tokensPerDay',
      allowed: 1_000,
      retryAfterMs: 12 * hour,
    });
    time += 12 * hour;
    expect(await limits.count(thousand)).toBeUndefined();
  });
});
