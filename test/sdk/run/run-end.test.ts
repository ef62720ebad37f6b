import { describe, expect, test } from '@jest/globals';
import { openCalls } from '../../../src/sdk/run/take-up-history.js';
import { done, finish, lookUpCall, task } from '../../support/run-harness.js';
import type { Script } from '../../support/scripted-service.js';

describe('the end (rule: run-result)', () => {
  test('at the limit the answer is what the model could say', async () => {
    const { result } = await finish(
      [lookUpCall(), { answer: 'I know this much.', outcome: 'action_after_limit' }],
      { maxSteps: 2 },
    );
    expect(result).toMatchObject({
      answer: 'I know this much.',
      stop_reason: 'step_limit',
      termination_reason: 'STEP_LIMIT',
    });
  });

  test('an answer in the last step is an answer', async () => {
    expect((await finish([done], { maxSteps: 1 })).result.stop_reason).toBe('answered');
  });

  test('without any answer at the limit it says that it could not finish', async () => {
    const { result } = await finish([lookUpCall()], { maxSteps: 3 });
    expect(result).toMatchObject({ stop_reason: 'step_limit' });
    expect(result.answer).toBe('The task could not be finished within the allowed number of steps.');
    expect(result.steps).toHaveLength(3);
  });

  test('TASK_COMPLETE on a line of its own ends the run, and an action beside it does not run', async () => {
    const { result, types } = await finish([
      { thought: 'All is done.\n**TASK_COMPLETE**', call: { name: 'look_up', args: { key: 'x' } } },
    ]);
    expect(result).toMatchObject({ stop_reason: 'answered', answer: 'All is done.' });
    expect(types).not.toContain('tool_start');
    expect(openCalls(result.history)).toEqual([]);
  });

  test('the word inside a sentence ends nothing', async () => {
    const { result } = await finish([{ thought: 'Not yet TASK_COMPLETE, one more.', ...lookUpCall() }, done]);
    expect(result.steps).toHaveLength(2);
  });

  test('a correction is appended at most twice in a row (rule: correction-limit)', async () => {
    const bad = { malformed: 'Action: look_up(' };
    const { result, service } = await finish([bad, bad, bad, bad]);
    expect(service.requests).toHaveLength(3);
    expect(result).toMatchObject({ stop_reason: 'error', error: { code: 'malformed_action' } });
    expect(result.history.filter(({ kind }) => kind === 'notice')).toHaveLength(2);
  });

  test('an answer that comes with a correction is corrected once, then taken (rule: correction-limit)', async () => {
    const unclear: Script = { answer: 'Fenced.', correctAnswer: true };
    const again = await finish([unclear, { answer: 'Still fenced.', correctAnswer: true }]);
    expect(again.result).toMatchObject({ stop_reason: 'answered', answer: 'Still fenced.' });
    expect(again.service.requests).toHaveLength(2);
    expect(again.result.history.map(({ kind }) => kind)).toEqual([undefined, undefined, 'notice', undefined]);
    const acted = await finish([unclear, lookUpCall(), done]);
    expect(acted.result).toMatchObject({ stop_reason: 'answered', answer: 'It is 42.' });
    const last = await finish([unclear], { maxSteps: 1 });
    expect(last.result).toMatchObject({ stop_reason: 'answered', answer: 'Fenced.' });
  });

  test('corrections count anew after an action that could be read', async () => {
    const bad = { malformed: 'Action: look_up(' };
    const { result } = await finish([bad, bad, lookUpCall(), bad, bad, done]);
    expect(result.stop_reason).toBe('answered');
  });

  test('a refusal of the model ends the run with its code', async () => {
    const { result } = await finish([{ error: 'upstream_refusal' }]);
    expect(result).toMatchObject({ stop_reason: 'error', error: { code: 'upstream_refusal' } });
  });

  test('an empty reply is tried again as the next step', async () => {
    const { result, service } = await finish([{ error: 'empty_response' }, done]);
    expect(result.stop_reason).toBe('answered');
    expect(service.requests.map(({ user_query }) => user_query)).toEqual([task, task]);
  });

  test('the summary of ten steps has at most 25 lines', async () => {
    const steps = Array.from({ length: 9 }, (_, index) => lookUpCall(`thing ${index}\n\n`));
    const { result } = await finish([...steps, { answer: 'Long.\n'.repeat(50) }], { maxSteps: 10 });
    expect(result.steps).toHaveLength(10);
    expect(result.summary().split('\n').length).toBeLessThanOrEqual(25);
    expect(result.summary()).toContain('look_up(key="thing 3\\n\\n") → thing 3');
    expect(result.summary()).toContain('\n 1. Look it up.\n    ✓ look_up(');
    expect(result.summary()).toMatch(/\nAnswer: (Long\. )+/);
  });
});
