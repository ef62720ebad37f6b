import { expect, test } from '@jest/globals';
import { listFirst } from '../../../src/service/step/list-first.js';

test('a list of the first names writes no other name, and states how many there are', () => {
  const written: string[] = [];
  const write = (name: string): string => {
    written.push(name);
    return `"${name}"`;
  };
  expect(listFirst(['a', 'b', 'c', 'd'], 2, write)).toBe('"a", "b" and 2 more');
  expect(written).toEqual(['a', 'b']);
});

test('a list of no more names than the maximum names all of them', () => {
  expect(listFirst(['a', 'b'], 2)).toBe('a, b');
});
