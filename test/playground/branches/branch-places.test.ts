import { describe, expect, test } from '@jest/globals';
import { branchTree, endOf } from '../../../src/playground/branches/branch-tree.js';
import { formatLink, readLink } from '../../../src/playground/branches/deep-link.js';
import type { Branch } from '../../../src/playground/run/branch.js';
import { emptyRun } from '../../../src/sdk/view/run-view.js';
import { lookUpCall } from '../../support/run-harness.js';
import { savedBranch } from './saved-branch.js';

const run = (id: string, left?: string): Branch => ({
  id,
  label: id,
  origin: 'live',
  parent: left === undefined ? null : { branchId: left, step: 1, change: '' },
  view: emptyRun(),
  saved: null,
});

describe('the tree of runs (rule: playground-branches)', () => {
  test('the tree lists branches below their parent in starting order', () => {
    const runs = [run('1'), run('2', '1'), run('3'), run('4', '1'), run('5', '2')];
    expect(branchTree(runs).map(({ branch, depth }) => `${depth} ${branch.id}`)).toEqual([
      '0 1',
      '1 2',
      '2 5',
      '1 4',
      '0 3',
    ]);
  });

  test('the tree keeps branches whose parent run was closed', () => {
    expect(branchTree([run('2', '1'), run('5', '2')]).map(({ depth }) => depth)).toEqual([0, 1]);
  });

  test('the tree describes how each run ended', async () => {
    expect(endOf(run('1'))).toBe('on its way');
    expect(endOf(await savedBranch([lookUpCall()], { maxSteps: 1 }))).toBe('the steps are used up');
  });
});

describe('links to runs and steps (rule: playground-branches)', () => {
  test.each([
    { run: 'run-2', step: 3 },
    { run: 'view-a_B-9', step: null },
  ])('a link to the place %j leads back to it', (place) => {
    expect(readLink(formatLink(place))).toEqual(place);
  });

  test.each([
    '',
    '#',
    '#step/3',
    '#/run-1/step/',
    '#/run-1/step/-1',
    '#/run-1/step/1e9',
    '#/../step/1',
    '#/<img>',
    `#/${'x'.repeat(99)}`,
  ])('the fragment %j is not a link to a run', (hash) => {
    expect(readLink(hash)).toBeNull();
  });
});
