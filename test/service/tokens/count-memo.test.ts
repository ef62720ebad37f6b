import { expect, test } from '@jest/globals';
import { CountMemo } from '../../../src/service/tokens/count-memo.js';

test('gives back what was remembered for the same content', () => {
  const memo = new CountMemo();
  memo.remember(memo.keyOf('some text'), 2);
  expect(memo.recall(memo.keyOf('some text'))).toBe(2);
  expect(memo.recall(memo.keyOf('some text.'))).toBeUndefined();
});

test('holds short digests, not texts', () => {
  const key = new CountMemo().keyOf('secret '.repeat(100));
  expect(key).toHaveLength(22);
  expect(key).not.toContain('secret');
});

test('holds 16,384 counts and forgets the one not asked for the longest', () => {
  const memo = new CountMemo();
  for (let index = 0; index < 16_384; index++) memo.remember(`${index}`, index);
  expect(memo.recall('0')).toBe(0);
  memo.remember('one more', 1);
  expect(memo.recall('1')).toBeUndefined();
  expect([memo.recall('0'), memo.recall('2'), memo.recall('one more')]).toEqual([0, 2, 1]);
});
