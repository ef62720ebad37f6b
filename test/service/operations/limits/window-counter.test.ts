import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { MemoryCounter } from '../../../../src/service/operations/limits/window-counter.js';

const WINDOW_MS = 60_000;

test('a counter sums the amounts of one time window, which begins with the first amount (rule: rate-limit)', async () => {
  const event = fc.record({
    afterMs: fc.nat({ max: 30_000 }),
    key: fc.constantFrom('a', 'b', 'c'),
    amount: fc.integer({ min: 1, max: 9 }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(event, { maxLength: 40 }), async (events) => {
      let now = 1_000;
      const counter = new MemoryCounter(WINDOW_MS / 1_000, { now: () => now });
      const windows = new Map<string, { sum: number; endsAt: number }>();
      for (const { afterMs, key, amount } of events) {
        now += afterMs;
        const open = windows.get(key);
        const window = open && open.endsAt > now ? open : { sum: 0, endsAt: now + WINDOW_MS };
        windows.set(key, { ...window, sum: window.sum + amount });
        const expected = { sum: window.sum + amount, endsInMs: window.endsAt - now };
        expect(await counter.add(key, amount)).toEqual(expected);
        expect(await counter.read(key)).toEqual(expected);
      }
    }),
  );
});

describe('bounded memory of a window counter (rule: rate-limit)', () => {
  test('above the maximum number of keys, a window counter discards the oldest keys first', async () => {
    const counter = new MemoryCounter(60, { maxKeys: 100, now: () => 0 });
    await counter.add('victim', 7);
    for (let key = 0; key < 49; key += 1) await counter.add(`before-${key}`, 1);
    for (let key = 0; key < 49; key += 1) await counter.add(`after-${key}`, 1);
    expect((await counter.read('victim')).sum).toBe(7);
    for (let key = 0; key < 100; key += 1) await counter.add(`more-${key}`, 1);
    expect((await counter.read('victim')).sum).toBe(0);
    expect((await counter.read('more-99')).sum).toBe(1);
  });

  test('of a million addresses in a minute, a window counter keeps at most 100,000', async () => {
    const counter = new MemoryCounter(60, { now: () => 0 });
    for (let key = 0; key < 1_000_000; key += 1) await counter.add(`2001:db8:${key.toString(16)}::/64`, 1);
    let kept = 0;
    for (let key = 0; key < 1_000_000; key += 1) {
      kept += (await counter.read(`2001:db8:${key.toString(16)}::/64`)).sum;
    }
    expect(kept).toBeLessThanOrEqual(100_000);
    expect(kept).toBeGreaterThanOrEqual(50_000);
  });
});

test('a sum from the shared store can raise the local sum, but never lower it (rule: shared-limits)', async () => {
  const counter = new MemoryCounter(60, { now: () => 0 });
  expect(counter.atLeast('a', { sum: 5, endsInMs: 9_000 })).toEqual({ sum: 5, endsInMs: 9_000 });
  expect(await counter.add('a', 2)).toEqual({ sum: 7, endsInMs: 9_000 });
  expect(counter.atLeast('a', { sum: 1, endsInMs: 60_000 })).toEqual({ sum: 7, endsInMs: 9_000 });
  expect(counter.atLeast('b', { sum: 0, endsInMs: 0 })).toEqual({ sum: 0, endsInMs: 0 });
});
