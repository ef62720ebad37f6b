import { createHash } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sha256 } from '../../../src/sdk/base/sha256.js';

test('sha256 equals the hash of Node for texts of any length', () => {
  const ofNode = (text: string) => createHash('sha256').update(text).digest('hex');
  for (const length of [0, 1, 54, 55, 56, 63, 64, 65, 119, 120, 1_000])
    expect(sha256('x'.repeat(length))).toBe(ofNode('x'.repeat(length)));
  const text = fc.string({ unit: 'grapheme', maxLength: 300 });
  fc.assert(fc.property(text, (each) => expect(sha256(each)).toBe(ofNode(each))));
});
