import { describe, expect, test } from '@jest/globals';
import { namedPaths, searchTerms } from '../../../src/offline/extractive/question/search-terms.js';
import { stemOf } from '../../../src/offline/extractive/question/words.js';

const textsOf = (task: string) => searchTerms(task).map(({ text }) => text);

describe('searchTerms', () => {
  test.each([
    [
      'identifiers and quotations come first',
      'Why does `a b` call getUser in src/x.ts?',
      ['getUser', 'a b', 'call'],
    ],
    ['longer words come before shorter ones', 'the tax of an invoice', ['invoice', 'tax']],
    ['words that fit everything come last', 'Which function makes coupons?', ['coupon', 'function', 'make']],
    ['a question about the whole has no telling term', 'What does this project do?', ['project']],
    [
      'snake_case, constants and members are names',
      'user_id or MAX_SIZE or order.status, e.g. here',
      ['order.status', 'MAX_SIZE', 'user_id'],
    ],
    ['words of other scripts are kept', 'Где находится корзина?', ['находится', 'корзина', 'где']],
    [
      'languages without spaces are cut into words',
      '割引はどこで計算されますか',
      expect.arrayContaining(['割引', '計算']),
    ],
    ['a task without words has no terms', ' ?! ', []],
  ])('the terms of a task are its specific words and names: %s', (_claim, task, expected) => {
    expect(textsOf(task)).toEqual(expected);
  });

  test('"expires", "expired", "expire", "expiring" and "expiry" have one search stem', () => {
    const stems = ['expires', 'expired', 'expire', 'expiring', 'expiry'].map(stemOf);
    expect(new Set(stems)).toEqual(new Set(['expir']));
  });

  test('quotes around the whole task do not make it one search term', () => {
    expect(textsOf('"Where is the refund logged?"\n')).toEqual(textsOf('Where is the refund logged?'));
  });

  test('"returning" is not shortened to "return", a keyword that occurs in nearly every source file', () => {
    expect(stemOf('returning')).toBe('returning');
  });

  test('a task as long as a book has only 12 search terms', () => {
    const book = Array.from({ length: 20_000 }, (_, index) => `word${index}`).join(' ');
    expect(searchTerms(book)).toHaveLength(12);
  });
});

test.each([
  ['Look at src/cart.js and @docs/pricing.md.', ['src/cart.js', 'docs/pricing.md']],
  ['What is in package.json?', ['package.json']],
  ['Is it 3.14, e.g. or v1.2?', []],
  ['See https://example.org/a.html or order.status or and/or', []],
])('namedPaths finds only the paths in the task %p', (task, expected) => {
  expect(namedPaths(task)).toEqual(expected);
});
