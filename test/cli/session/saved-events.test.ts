import { expect, test } from '@jest/globals';
import { isSavedAt } from '../../../src/cli/session/session.js';
import { done, finish, lookUpCall } from '../../support/run-harness.js';
import type { Script } from '../../support/scripted-service.js';

test('the command saves a run after its start, each reply, each start of a call, the results and the end (rule: saved-runs)', async () => {
  const { events } = await finish([lookUpCall(), done]);
  expect(events.filter(isSavedAt).map(({ type }) => type)).toEqual([
    'agent_start',
    'agent_reason',
    'tool_start',
    'agent_observe',
    'agent_reason',
    'agent_completion',
  ]);
});

test('the command saves the results of the phase act before the model is called in the phase observe (rule: saved-runs)', async () => {
  const round: Script[] = [
    { control: { plan: 'look' }, thought: 'I look.' },
    lookUpCall(),
    { control: { should_continue: false } },
  ];
  const { events } = await finish(round, { strategy: 'reason-act-observe', maxSteps: 1 });
  const saved = events.filter(isSavedAt).filter(({ step }) => step > 0);
  expect(saved.map(({ type, phase }) => [type, phase])).toEqual([
    ['agent_reason', 'reason'],
    ['agent_reason', 'act'],
    ['tool_start', 'act'],
    ['agent_turn_start', 'observe'],
    ['agent_observe', 'observe'],
    ['agent_completion', undefined],
  ]);
});
