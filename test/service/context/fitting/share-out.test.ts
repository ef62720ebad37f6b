import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  shareFairly,
  shareFirstWhole,
  shareInGroups,
  shareInTurn,
} from '../../../../src/service/context/fitting/share-out.js';

const sum = (numbers: readonly number[]) => numbers.reduce((total, each) => total + each, 0);

test('fair sharing gives all items their size if they fit together', () => {
  expect(shareFairly([100, 300, 50], 450)).toEqual([100, 300, 50]);
});

test('fair sharing gives a giant item all tokens that the smaller items leave over', () => {
  expect(shareFairly([Number.POSITIVE_INFINITY, 200, 300], 1_000)).toEqual([500, 200, 300]);
});

test('fair sharing gives giant items equal shares', () => {
  expect(shareFairly([9_000, 8_000, 100], 1_000)).toEqual([450, 450, 100]);
});

test('fair sharing gives later items 0 if less than the minimum share is left', () => {
  expect(shareFairly([900, 900, 900, 20], 600)).toEqual([290, 290, 0, 20]);
});

test('a folder of many files gets the same share as one giant file', () => {
  const folder = [400, 400, 400, 400];
  expect(shareInGroups([[9_000], folder], shareFairly, 1_600)).toEqual([[800], [266, 266, 266, 0]]);
  expect(shareInGroups([[9_000], folder], shareFairly, 4_000)).toEqual([[2_400], folder]);
});

test('the first path is included completely if it needs at most half of the tokens, and the other paths share the rest (rule: first-path-whole)', () => {
  expect(shareFairly([500, 900, 900], 1_200)).toEqual([400, 400, 400]);
  expect(shareFirstWhole([500, 900, 900], 1_200)).toEqual([500, 350, 350]);
  expect(shareFirstWhole([700, 900, 900], 1_200)).toEqual([400, 400, 400]);
  expect(shareFirstWhole([], 1_200)).toEqual([]);
});

test('shareInTurn gives the first item all it needs, and later items only what is left', () => {
  expect(shareInTurn([900, 900, 900], 1_200)).toEqual([900, 300, 0]);
});

test('shares never exceed the available tokens or the item’s size; fair shares use all tokens if an item is cut', () => {
  const sizes = fc.array(fc.oneof(fc.nat(3_000), fc.constant(Number.POSITIVE_INFINITY)), { maxLength: 40 });
  fc.assert(
    fc.property(sizes, fc.nat(10_000), (wanted, room) => {
      for (const share of [shareFairly, shareFirstWhole, shareInTurn]) {
        const shares = share(wanted, room);
        expect(sum(shares)).toBeLessThanOrEqual(room);
        expect(shares.every((each, index) => each >= 0 && each <= (wanted[index] ?? 0))).toBe(true);
      }
      const fair = shareFairly(wanted, room);
      const cut = fair.filter((each, index) => each > 0 && each < (wanted[index] ?? 0));
      expect(new Set(cut).size).toBeLessThanOrEqual(1);
      if (cut.length > 0) expect(room - sum(fair)).toBeLessThan(cut.length);
    }),
    { numRuns: 2_000 },
  );
});
