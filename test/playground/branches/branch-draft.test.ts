import { describe, expect, test } from '@jest/globals';
import {
  type BranchDraft,
  changedObservations,
  describeDraft,
  draftOf,
  draftOptions,
  keptSteps,
  problemOf,
  responsesBefore,
} from '../../../src/playground/branches/branch-draft.js';
import { done, lookUpCall } from '../../support/run-harness.js';
import { savedBranch } from './saved-branch.js';

const files = [
  { path: 'a.ts', content: 'A' },
  { path: 'b.ts', content: 'B' },
];
const context = {
  paths: ['a.ts', 'b.ts'],
  pinned: ['note'],
  inline: { files, pinned_items: [{ id: 'note', content: 'N' }] },
};

async function opened() {
  const options = { maxSteps: 6, instructions: 'Be kind.', context };
  const branch = await savedBranch([lookUpCall('a'), lookUpCall('b'), done], options);
  const [, step] = branch.view.steps;
  if (!step || !branch.saved) throw new Error('The run has two steps.');
  return { branch, step, saved: branch.saved, before: draftOf(branch.saved, branch, step) };
}

describe('the draft of a branch (rule: playground-branches)', () => {
  test('a new branch draft has the options of its run', async () => {
    const { saved, before } = await opened();
    const options = draftOptions(before, saved.options, new Map());
    expect(JSON.parse(JSON.stringify(options))).toEqual({
      ...JSON.parse(JSON.stringify(saved.options)),
      maxSteps: 5,
    });
  });

  test('a branch may take as many steps as its parent run had left at the branching point', async () => {
    const { branch, before } = await opened();
    expect(responsesBefore(branch, 2)).toBe(1);
    expect(before.maxSteps).toBe(5);
  });

  test('a branch draft can remove a file with its contents and add another', async () => {
    const { saved, before } = await opened();
    const draft = { ...before, paths: ['b.ts', 'c.ts'], pinned: [] };
    const options = draftOptions(draft, saved.options, new Map([['c.ts', 'C']]));
    expect(options.context).toEqual({
      paths: ['b.ts', 'c.ts'],
      pinned: [],
      inline: { files: [files[1], { path: 'c.ts', content: 'C' }], pinned_items: [] },
    });
  });

  test('a branch keeps a step with its edited result', async () => {
    const { branch, step, before } = await opened();
    const draft = { ...before, keepsStep: true, observations: { call_2: 'b is 7' } };
    const changed = changedObservations(draft, before);
    expect(changed).toEqual({ call_2: 'b is 7' });
    const kept = keptSteps(branch, step.number, changed);
    expect(kept.map(({ actions }) => actions[0]?.observation)).toEqual(['a is 42', 'b is 7']);
    expect(kept[0]).toBe(branch.view.steps[0]);
  });

  test('a branch that redoes a step ignores edited results of that step', async () => {
    const { branch, step, before } = await opened();
    expect(changedObservations({ ...before, observations: { call_2: 'x' } }, before)).toEqual({});
    expect(keptSteps(branch, step.number, null)).toHaveLength(1);
  });

  test.each<[string, Partial<BranchDraft>]>([
    ['step 2 again', {}],
    ['after step 2, other result of look_up', { keepsStep: true, observations: { call_2: '7' } }],
    ['step 2 again, model other, other instructions', { model: 'other', instructions: '' }],
    ['step 2 again, 4,000 tokens, 1 step', { tokenLimit: 4_000, maxSteps: 1 }],
    ['step 2 again, with c.ts, without a.ts, without note', { paths: ['b.ts', 'c.ts'], pinned: [] }],
  ])('a branch is named after its changes: %s', async (words, changes) => {
    const { step, before } = await opened();
    expect(describeDraft({ ...before, ...changes }, before, step)).toBe(words);
  });

  test.each<[string, Partial<BranchDraft>]>([
    ['without a model', { model: ' ' }],
    ['without steps', { maxSteps: 0 }],
    ['with an invalid number', { tokenLimit: Number.NaN }],
    ['whose reply reserve takes the whole token limit', { reservedOutputTokens: 8_000, tokenLimit: 8_000 }],
  ])('a branch %s is refused with a reason', async (_, changes) => {
    const { before } = await opened();
    expect(problemOf(before)).toBeNull();
    expect(problemOf({ ...before, ...changes })).toMatch(/\.$/);
  });
});
