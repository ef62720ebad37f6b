import { describe, expect, test } from '@jest/globals';
import { readTrajectory } from '../../../src/sdk/index.js';
import { upgradeSavedRun } from '../../../src/sdk/saved/upgrade-saved-run.js';
import { done, finish, lookUpCall } from '../../support/run-harness.js';

/** Field names of version 1, by current name. */
const former: Readonly<Record<string, string>> = {
  projectId: 'project_id',
  sessionId: 'session_id',
  beganWith: 'began_with',
  stopReason: 'stop_reason',
  terminationReason: 'termination_reason',
  inputRequest: 'input_request',
  toolName: 'tool_name',
  toolArgs: 'tool_args',
  resultSummary: 'result_summary',
};

const withNames = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, member: unknown) =>
    typeof member === 'object' && member !== null && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).map(([name, each]) => [former[name] ?? name, each]))
      : member,
  );

describe('saved runs of version 1 (rule: saved-runs)', () => {
  test('a saved run of version 1 reads like the same run of version 2', async () => {
    const { run } = await finish([lookUpCall(), done]);
    const saved = run.save();
    const { options, tools, responses, history, observations, ...named } = saved;
    const old = { ...(withNames(named) as object), options, tools, responses, history, observations };
    expect(old).toMatchObject({ result: { stop_reason: 'answered' }, project_id: saved.projectId });
    expect(readTrajectory(JSON.stringify({ ...old, version: 1 }))).toEqual(
      readTrajectory(JSON.stringify(saved)),
    );
  });

  test('upgrading keeps the names of call arguments, even those that equal a renamed field', async () => {
    const { run } = await finish([
      { call: { name: 'look_up', args: { key: 'x', call_id: 1, stop_reason: 'x' } } },
      done,
    ]);
    const saved = JSON.parse(JSON.stringify(run.save()));
    const action = saved.result.steps[0].actions[0];
    const old = { ...action, tool_args: action.toolArgs };
    saved.result.steps[0].actions[0] = old;
    expect(upgradeSavedRun({ ...saved, version: 1 })).toMatchObject({
      result: { steps: [{ actions: [{ toolArgs: { key: 'x', call_id: 1, stop_reason: 'x' } }] }, {}] },
    });
  });

  test.each([
    null,
    7,
    'text',
    [],
    { version: 2 },
    { version: 1, result: 'x' },
  ])('upgrading leaves a value that is no saved run unchanged: %j', (value) => {
    expect(() => upgradeSavedRun(value)).not.toThrow();
  });
});
