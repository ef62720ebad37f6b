import { expect, test } from '@jest/globals';
import { digestOf, TextMemo } from '../../src/tokens/text-memo.js';

test('gives back what was remembered for the same content', () => {
  const memo = new TextMemo();
  memo.remember(digestOf('some text'), 2);
  expect(memo.recall(digestOf('some text'))).toBe(2);
  expect(memo.recall(digestOf('some text.'))).toBeUndefined();
});

test('holds short digests, not texts', () => {
  const key = digestOf('secret '.repeat(100));
  expect(key).toHaveLength(22);
  expect(key).not.toContain('secret');
});

test('keeps what comes again, however much comes only once', () => {
  const memo = new TextMemo();
  memo.remember('again', 7);
  for (let index = 0; index < 200_000; index++) {
    memo.remember(`${index}`, index);
    expect(memo.recall('again')).toBe(7);
  }
  expect(memo.recall('199999')).toBe(199_999);
  expect(memo.recall('100000')).toBeUndefined();
});

test('holds 32,768 numbers and forgets the one not asked for the longest', () => {
  const memo = new TextMemo();
  for (let index = 0; index < 32_768; index++) memo.remember(`${index}`, index);
  expect(memo.recall('0')).toBe(0);
  memo.remember('one more', 1);
  expect(memo.recall('1')).toBeUndefined();
  expect([memo.recall('0'), memo.recall('2'), memo.recall('one more')]).toEqual([0, 2, 1]);
});
