import { expect, test } from '@jest/globals';
import { CountCache } from '../../src/tokens/count-cache.js';

const keyOf = (text: string): string => CountCache.keyOf(Buffer.from(text));

test('the count cache returns a stored count only for exactly the same bytes', () => {
  const cache = new CountCache();
  cache.set(keyOf('some text'), 2);
  expect(cache.get(keyOf('some text'))).toBe(2);
  expect(cache.get(keyOf('some text.'))).toBeUndefined();
});

test('a key of the count cache is a short digest that contains no word of the text', () => {
  const key = keyOf('secret '.repeat(100));
  expect(key).toHaveLength(44);
  expect(key).not.toContain('secret');
});

test('the count cache keeps a count that is used repeatedly, however many others are used once', () => {
  const cache = new CountCache();
  cache.set('again', 7);
  for (let index = 0; index < 200_000; index++) {
    cache.set(`${index}`, index);
    if (index % 1_000 === 0) expect(cache.get('again')).toBe(7);
  }
  expect(cache.get('again')).toBe(7);
  expect(cache.get('199999')).toBe(199_999);
  expect(cache.get('100000')).toBeUndefined();
});

test('the count cache keeps at least the last 16,384 counts and fewer than the last 32,768', () => {
  const cache = new CountCache();
  const keys = Array.from({ length: 100_000 }, (_, index) => `${index}`);
  for (const key of keys) cache.set(key, 1);
  const newestFirst = keys.reverse();
  const areKept = newestFirst.map((key) => cache.get(key) !== undefined);
  expect(areKept.indexOf(false)).toBeGreaterThanOrEqual(16_384);
  expect(areKept.lastIndexOf(true)).toBeLessThan(32_768);
});
