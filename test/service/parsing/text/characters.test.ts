import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { skipBlanks, skipSpace } from '../../../../src/service/parsing/text/characters.js';

const blank = fc.constantFrom(' ', '\t');
const space = fc.constantFrom(' ', '\t', '\n', '\v', '\f', '\r', '\u00a0', '\u2028', '\ufeff');

test('a run of blanks is passed, however long it is, and nothing else', () => {
  const runs = fc.array(blank, { maxLength: 100, size: 'max' }).map((run) => run.join(''));
  fc.assert(
    fc.property(
      fc.string({ maxLength: 3 }),
      runs,
      fc.constantFrom('', '\n', '\r', 'x \t', '\u00a0'),
      (before, run, after) => {
        expect(skipBlanks(before + run + after, before.length)).toBe(before.length + run.length);
      },
    ),
  );
});

test('a run of white space is passed, however long it is, and nothing else', () => {
  const runs = fc.array(space, { maxLength: 100, size: 'max' }).map((run) => run.join(''));
  fc.assert(
    fc.property(
      fc.string({ maxLength: 3 }),
      runs,
      fc.constantFrom('', 'x\n', '\b', '\u2029', '\u200b'),
      (before, run, after) => {
        expect(skipSpace(before + run + after, before.length)).toBe(before.length + run.length);
      },
    ),
  );
});
