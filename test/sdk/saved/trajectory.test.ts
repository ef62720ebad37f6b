import { describe, expect, test } from '@jest/globals';
import type { TurnInput } from '../../../src/contract/history.js';
import type { RunEvent } from '../../../src/sdk/run/run-events.js';
import type { RunOptions } from '../../../src/sdk/run/run-options.js';
import { replayRun } from '../../../src/sdk/saved/replay-run.js';
import { readTrajectory, resumeOptions } from '../../../src/sdk/saved/trajectory.js';
import {
  command,
  done,
  finish,
  key,
  lookUp,
  lookUpCall,
  readAll,
  recordingTool,
} from '../../support/run-harness.js';
import type { Script } from '../../support/scripted-service.js';

async function save(script: readonly Script[], options?: Partial<RunOptions>) {
  const finished = await finish(script, options);
  const json = JSON.stringify(finished.run.save());
  return { ...finished, json, saved: readTrajectory(json) };
}

/** What does not depend on the clock. */
const essence = (events: readonly RunEvent[]) =>
  events
    .filter(({ type }) => !type.endsWith('_delta'))
    .map((event) => ({ ...event, duration_ms: 0, request: undefined }))
    .map((event) => JSON.parse(JSON.stringify(event)) as unknown);

describe('a saved run (rule: saved-runs)', () => {
  test('holds no key', async () => {
    const { json } = await save([lookUpCall(), done]);
    expect(json).not.toContain(key);
    expect(json).toContain('"completion_text"');
  });

  const { tool } = recordingTool();
  const failing = { ...lookUp, execute: () => ({ success: false, error: 'No such shelf.' }) };
  test.each<[string, Script[], Partial<RunOptions>]>([
    ['an answer', [lookUpCall(), done], {}],
    [
      'several calls',
      [{ ...lookUpCall(), more: [{ name: 'look_up', args: { key: 'b' } }] } as Script, done],
      {},
    ],
    ['a tool that fails', [{ call: { name: 'look_up', args: {} } }, done], {}],
    ['tasks', [{ call: { name: 'create_tasks', args: { tasks: ['a'] } } }, done], {}],
    [
      'a denial',
      [command('ls'), done],
      { tools: [tool], approve: async () => ({ type: 'deny', reason: 'No.' }) },
    ],
    [
      'a denial without a reason',
      [command('ls'), done],
      { tools: [tool], approve: async () => ({ type: 'deny', reason: '' }) },
    ],
    ['nobody to ask', [command('ls'), done], { tools: [tool] }],
    ['a call that the tool says has failed', [lookUpCall(), done], { tools: [failing] }],
    [
      'an answered question',
      [{ call: { name: 'request_input', args: { question: 'Q' } } }, done],
      { onInputRequest: async () => 'A' },
    ],
    ['an open question', [{ call: { name: 'request_input', args: { question: 'Q' } } }], {}],
    ['corrections', [{ malformed: 'Action: (' }, done], {}],
    ['an error', [lookUpCall(), { error: 'upstream_billing' }], {}],
    ['the limit', [lookUpCall()], { maxSteps: 2 }],
    ['the strict strategy', [{ control: { finish: true } }, done], { strategy: 'reason-act-observe' }],
  ])('with %s plays again: the same events, the same end', async (_, script, options) => {
    const { saved, events, result } = await save(script, options);
    const replay = replayRun(saved);
    expect(essence(await readAll(replay))).toEqual(essence(events));
    expect(JSON.parse(JSON.stringify(await replay.result()))).toEqual(JSON.parse(JSON.stringify(result)));
  });

  test('of a former version loads, plays again and can be gone on from', async () => {
    const { saved } = await save([command('ls'), done], {
      tools: [tool],
      approve: async () => ({ type: 'deny', reason: 'No.' }),
    });
    const asItWas = {
      role: 'tool_observation',
      content: 'No.',
      toolCallId: 'call_1',
      toolResult: { success: false, denied: true },
    };
    const former = readTrajectory(
      JSON.stringify({
        ...saved,
        observations: [asItWas],
        history: saved.history.with(2, asItWas as TurnInput),
        options: { llmConfig: saved.options.llmConfig },
      }),
    );
    expect(await replayRun(former).result()).toMatchObject({ stop_reason: 'denied', answer: 'It is 42.' });
    const { service } = await finish([done], { ...resumeOptions(former), tools: [lookUp] });
    expect(service.requests[0]?.conversation_history[2]).toMatchObject(asItWas);
  });

  test('that was stopped plays until there and stops', async () => {
    const controller = new AbortController();
    const { saved } = await save([lookUpCall(), { fault: 'silence' }], {
      signal: controller.signal,
      guards: [() => void setTimeout(() => controller.abort(), 50)],
    });
    const replay = await replayRun(saved).result();
    expect(replay).toMatchObject({ stop_reason: 'stopped' });
    expect(replay.history).toHaveLength(3);
  });

  test('is gone on from with the same session, model and tasks', async () => {
    const { saved } = await save([{ call: { name: 'create_tasks', args: { tasks: ['a'] } } }], {
      maxSteps: 1,
    });
    const { service, result } = await finish([done], {
      ...resumeOptions(saved),
      maxSteps: 3,
      tools: [lookUp],
    });
    expect(service.requests[0]).toMatchObject({
      session_id: saved.session_id,
      user_query: '',
      tasks: [{ id: 1, content: 'a', status: 'todo' }],
    });
    expect(result.stop_reason).toBe('answered');
  });

  test.each([
    '',
    '{',
    'null',
    '[]',
    '{}',
    '{"format":"stepwise-run","version":2}',
    '{"format":"stepwise-run","version":1,"task":"x","options":{},"history":7}',
  ])('`%s` is not one, and that is said', (json) => {
    expect(() => readTrajectory(json)).toThrow(TypeError);
  });
});
