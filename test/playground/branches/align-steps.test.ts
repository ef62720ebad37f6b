import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { alignSteps } from '../../../src/playground/branches/compare/align-steps.js';
import { changedMiddle } from '../../../src/playground/branches/compare/changed-middle.js';
import { done, lookUpCall } from '../../support/run-harness.js';
import { savedBranch } from './saved-branch.js';

describe('comparison of two runs (rule: playground-branches)', () => {
  test('two equal runs are the same in every step', async () => {
    const { view } = await savedBranch([lookUpCall(), done]);
    const pairs = alignSteps(view, view);
    expect(pairs.map(({ isSame }) => isSame)).toEqual([true, true]);
    expect(pairs[0]?.left).toEqual({ promptTokens: null, inputTokens: 100, outputTokens: 10 });
  });

  test('the comparison of two runs names the differing parts of a step: call and result, not the thought', async () => {
    const one = await savedBranch([lookUpCall('a'), done]);
    const other = await savedBranch([lookUpCall('b'), done]);
    const [first, second] = alignSteps(one.view, other.view);
    expect(first?.parts.map(({ name, isSame }) => [name, isSame])).toEqual([
      ['Thought', true],
      ['Call', false],
      ['Result', false],
    ]);
    expect(first?.parts[1]).toMatchObject({ left: 'look_up(key="a")', right: 'look_up(key="b")' });
    expect(second?.isSame).toBe(true);
  });

  test('a step that only the longer run has is compared with an empty step', async () => {
    const one = await savedBranch([lookUpCall(), done]);
    const other = await savedBranch([done]);
    const [first, second] = alignSteps(one.view, other.view);
    expect(first?.parts.find(({ name }) => name === 'Answer')).toMatchObject({
      left: '',
      right: 'It is 42.',
    });
    expect(second).toMatchObject({ right: null, isSame: false });
  });
});

describe('changedMiddle of two texts', () => {
  const text = fc
    .array(fc.constantFrom('one', 'two', 'three', ' ', '\n', '𝄞'), { maxLength: 12 })
    .map((words) => words.join(''));

  test('before + changed + after reconstructs each of two texts', () => {
    fc.assert(
      fc.property(text, text, (left, right) => {
        const middle = changedMiddle(left, right);
        expect(middle.before + middle.left + middle.after).toBe(left);
        expect(middle.before + middle.right + middle.after).toBe(right);
      }),
    );
  });

  test('changedMiddle marks whole words as changed, not single characters', () => {
    expect(changedMiddle('the limit is 500 EUR', 'the limit is 550 EUR')).toEqual({
      before: 'the limit is ',
      left: '500',
      right: '550',
      after: ' EUR',
    });
  });

  test('changedMiddle of a text and its continuation is the added part', () => {
    expect(changedMiddle('a limit', 'a limit of 5')).toMatchObject({
      before: 'a limit',
      left: '',
      right: ' of 5',
    });
  });

  test('changedMiddle of equal texts is empty', () => {
    fc.assert(
      fc.property(text, (same) => {
        expect(changedMiddle(same, same)).toMatchObject({ left: '', right: '' });
      }),
    );
  });
});
