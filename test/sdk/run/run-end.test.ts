import { describe, expect, test } from '@jest/globals';
import { openCalls } from '../../../src/sdk/run/take-up-history.js';
import { done, finish, lookUpCall, task } from '../../support/run-harness.js';
import type { Script } from '../../support/scripted-service.js';

describe('the end of a run (rule: run-result)', () => {
  test('a run at its step limit ends with the last text of the model', async () => {
    const { result } = await finish(
      [lookUpCall(), { answer: 'I know this much.', outcome: 'action_after_limit' }],
      { maxSteps: 2 },
    );
    expect(result).toMatchObject({
      answer: 'I know this much.',
      stopReason: 'step_limit',
      terminationReason: 'STEP_LIMIT',
    });
  });

  test('an answer in the last step ends the run as `answered`', async () => {
    expect((await finish([done], { maxSteps: 1 })).result.stopReason).toBe('answered');
  });

  test('a run at its step limit without any text reports that it could not finish', async () => {
    const { result } = await finish([lookUpCall()], { maxSteps: 3 });
    expect(result).toMatchObject({ stopReason: 'step_limit' });
    expect(result.answer).toBe('The task could not be finished within the allowed number of steps.');
    expect(result.steps).toHaveLength(3);
  });

  test.each([
    ['an observation that wants to go on', { control: { should_continue: true }, answer: 'I need more.' }],
    ['an unreadable call', { answer: 'Action: look_up(', outcome: 'malformed_action' }],
    ['a call of an unknown tool', { answer: 'Action: fly()', outcome: 'unknown_tool' }],
  ] as const)('a run at its step limit says first that it could not finish, then the last text: %s', async (_, last) => {
    const { result } = await finish([lookUpCall(), last], { maxSteps: 2 });
    expect(result).toMatchObject({ stopReason: 'step_limit', terminationReason: 'STEP_LIMIT' });
    expect(result.answer).toBe(
      `The task could not be finished within the allowed number of steps.\n\n${last.answer}`,
    );
  });

  test('with onLastIteration allow_action, the action of the last step runs and the run ends with step_limit (rule: last-iteration)', async () => {
    const { result, types, service } = await finish([lookUpCall(), lookUpCall('b')], {
      maxSteps: 2,
      onLastIteration: 'allow_action',
    });
    expect(service.requests.map((request) => request.on_last_iteration)).toEqual([
      'allow_action',
      'allow_action',
    ]);
    expect(types.filter((type) => type === 'tool_complete')).toHaveLength(2);
    expect(result).toMatchObject({ stopReason: 'step_limit', terminationReason: 'STEP_LIMIT' });
    expect(result.answer).toBe('The task could not be finished within the allowed number of steps.');
    expect(openCalls(result.history)).toEqual([]);
  });

  test('a step that must answer allows no action, whatever onLastIteration is', async () => {
    const list: Script = {
      call: { name: 'create_tasks', args: { tasks: [{ content: 'a', status: 'completed' }] } },
    };
    const { service } = await finish([list, done], { onLastIteration: 'allow_action' });
    expect(service.requests[1]).toMatchObject({ max_iterations_left: 1 });
    expect(service.requests[1]?.on_last_iteration).toBeUndefined();
  });

  test('TASK_COMPLETE on a line of its own ends the run without running the action beside it', async () => {
    const { result, types } = await finish([
      { thought: 'All is done.\n**TASK_COMPLETE**', call: { name: 'look_up', args: { key: 'x' } } },
    ]);
    expect(result).toMatchObject({ stopReason: 'answered', answer: 'All is done.' });
    expect(types).not.toContain('tool_start');
    expect(openCalls(result.history)).toEqual([]);
  });

  test('TASK_COMPLETE inside a sentence does not end the run', async () => {
    const { result } = await finish([{ thought: 'Not yet TASK_COMPLETE, one more.', ...lookUpCall() }, done]);
    expect(result.steps).toHaveLength(2);
  });

  test('a run appends at most two corrections in a row (rule: correction-limit)', async () => {
    const bad = { malformed: 'Action: look_up(' };
    const { result, service } = await finish([bad, bad, bad, bad]);
    expect(service.requests).toHaveLength(3);
    expect(result).toMatchObject({ stopReason: 'error', error: { code: 'malformed_action' } });
    expect(result.history.filter(({ kind }) => kind === 'notice')).toHaveLength(2);
  });

  test('a run corrects an answer with a correction once, then accepts it (rule: correction-limit)', async () => {
    const unclear: Script = { answer: 'Fenced.', correctAnswer: true };
    const again = await finish([unclear, { answer: 'Still fenced.', correctAnswer: true }]);
    expect(again.result).toMatchObject({ stopReason: 'answered', answer: 'Still fenced.' });
    expect(again.service.requests).toHaveLength(2);
    expect(again.result.history.map(({ kind }) => kind)).toEqual([undefined, undefined, 'notice', undefined]);
    const acted = await finish([unclear, lookUpCall(), done]);
    expect(acted.result).toMatchObject({ stopReason: 'answered', answer: 'It is 42.' });
    const last = await finish([unclear], { maxSteps: 1 });
    expect(last.result).toMatchObject({ stopReason: 'answered', answer: 'Fenced.' });
  });

  test('a readable action resets the count of corrections', async () => {
    const bad = { malformed: 'Action: look_up(' };
    const { result } = await finish([bad, bad, lookUpCall(), bad, bad, done]);
    expect(result.stopReason).toBe('answered');
  });

  test('a refusal of the model ends the run with the code upstream_refusal', async () => {
    const { result } = await finish([{ error: 'upstream_refusal' }]);
    expect(result).toMatchObject({ stopReason: 'error', error: { code: 'upstream_refusal' } });
  });

  test('a run takes another step after an empty reply', async () => {
    const { result, service } = await finish([{ error: 'empty_response' }, done]);
    expect(result.stopReason).toBe('answered');
    expect(service.requests.map(({ user_query }) => user_query)).toEqual([task, task]);
  });

  test('the summary of a run of ten steps has at most 25 lines', async () => {
    const steps = Array.from({ length: 9 }, (_, index) => lookUpCall(`thing ${index}\n\n`));
    const { result } = await finish([...steps, { answer: 'Long.\n'.repeat(50) }], { maxSteps: 10 });
    expect(result.steps).toHaveLength(10);
    expect(result.summary().split('\n').length).toBeLessThanOrEqual(25);
    expect(result.summary()).toContain('look_up(key="thing 3\\n\\n") → thing 3');
    expect(result.summary()).toContain('\n 1. Look it up.\n    ✓ look_up(');
    expect(result.summary()).toMatch(/\nAnswer: (Long\. )+/);
  });
});
