import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { skipBlanks, skipSpace } from '../../../src/parsing/text/characters.js';

const blanks = [' ', '\t', '\u00a0', '\u202f', '\u3000', '\ufeff'];
const spaces = [...blanks, '\n', '\v', '\f', '\r', '\u2028', '\u2029'];

test.each([
  ['blanks', { skip: skipBlanks, members: blanks, others: ['\n', '\r', 'x \t', '\u2028'] }],
  ['white space', { skip: skipSpace, members: spaces, others: ['x\n', '\b', '\u0085', '\u200b'] }],
])('skipping %s moves past a run of any length and stops at the first other character', (_, {
  skip,
  members,
  others,
}) => {
  const runs = fc.array(fc.constantFrom(...members), { maxLength: 100, size: 'max' });
  fc.assert(
    fc.property(fc.string({ maxLength: 3 }), runs, fc.constantFrom('', ...others), (before, run, after) => {
      expect(skip(before + run.join('') + after, before.length)).toBe(before.length + run.length);
    }),
  );
});
