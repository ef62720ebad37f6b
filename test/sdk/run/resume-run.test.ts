import { describe, expect, test } from '@jest/globals';
import type { PendingDecision } from '../../../src/sdk/actions/pending-approval.js';
import { StepwiseClient } from '../../../src/sdk/client/stepwise-client.js';
import type { ResumeOptions } from '../../../src/sdk/run/resume-run.js';
import type { RunOptions } from '../../../src/sdk/run/run-options.js';
import { explainEnd } from '../../../src/sdk/run/run-result.js';
import { openCalls } from '../../../src/sdk/run/take-up-history.js';
import type { Trajectory } from '../../../src/sdk/run/trajectory.js';
import { readTrajectory } from '../../../src/sdk/saved/read-trajectory.js';
import { replayRun } from '../../../src/sdk/saved/replay-run.js';
import { reduceRun } from '../../../src/sdk/view/reduce-run.js';
import { emptyRun } from '../../../src/sdk/view/run-view.js';
import {
  command,
  done,
  finish,
  key,
  llmConfig,
  lookUp,
  lookUpCall,
  readAll,
  recordingTool,
} from '../../support/run-harness.js';
import { type Script, startScriptedService } from '../../support/scripted-service.js';

/** A step with two calls that need approval, after a read that needs none. */
const both: Script = {
  thought: 'I run both.',
  call: { name: 'run_command', args: { command: 'npm test' }, requiresApproval: true },
  more: [
    { name: 'look_up', args: { key: 'price' } },
    { name: 'run_command', args: { command: 'git push' }, requiresApproval: true },
  ],
};

async function waiting(script: readonly Script[], options: Partial<RunOptions> = {}) {
  const { tool } = recordingTool();
  const { run, result, events } = await finish(script, { tools: [tool, lookUp], ...options });
  return { result, events, file: JSON.stringify(run.save()) };
}

/** Resumes in another process, as far as a test can: from the text of the file, with new tools and another service. */
async function resume(file: string, options: ResumeOptions, ...script: readonly Script[]) {
  const service = await startScriptedService(...script);
  const { tool, calls } = recordingTool();
  try {
    const client = new StepwiseClient({ baseUrl: service.url, llmKey: key });
    const run = client.resume(readTrajectory(file), { tools: [tool, lookUp], ...options });
    const events = await readAll(run);
    return { run, calls, events, result: await run.result(), requests: service.requests };
  } finally {
    await service.close();
  }
}

describe('approvals that wait (rule: waiting-approvals)', () => {
  test('the run ends with all calls of the step that need approval, their previews and hashes, and ran nothing', async () => {
    const { result, events } = await waiting([lookUpCall(), both]);
    expect(result).toMatchObject({ stopReason: 'needs_approval', answer: null, error: null });
    expect(result.pending).toEqual([
      {
        id: 'call_2',
        toolName: 'run_command',
        toolArgs: { command: 'npm test' },
        argsHash: expect.stringMatching(/^[\da-f]{64}$/),
        preview: '$ npm test',
      },
      expect.objectContaining({ id: 'call_4', preview: '$ git push' }),
    ]);
    const ran = events.flatMap((event) => (event.type === 'tool_start' ? event.id : []));
    expect(ran).toEqual(['call_1']);
    expect(openCalls(result.history).map(({ id }) => id)).toEqual(['call_2', 'call_3', 'call_4']);
    expect(events.at(-1)?.type).toBe('agent_stopped');
    expect(result.summary()).toContain('needs_approval after 2 steps');
  });

  test('a resumed run carries out the decisions, goes on, and counts its steps from the first on', async () => {
    const { result: before, file } = await waiting([lookUpCall(), both]);
    const [first, second] = before.pending;
    const decisions: PendingDecision[] = [
      { id: 'call_2', argsHash: first?.argsHash ?? '', type: 'allow' },
      { id: 'call_4', argsHash: second?.argsHash ?? '', type: 'deny', reason: 'Not today.' },
    ];
    const { result, calls, requests, events } = await resume(file, { decisions }, done);
    expect(calls).toEqual(['npm test']);
    expect(result).toMatchObject({ stopReason: 'denied', answer: 'It is 42.', pending: [] });
    expect(result.steps.map(({ number, actions }) => [number, actions.length])).toEqual([
      [1, 1],
      [2, 3],
      [3, 0],
    ]);
    const sent = requests[0]?.conversation_history ?? [];
    expect(sent.map(({ toolCallId }) => toolCallId).filter(Boolean)).toEqual([
      'call_1',
      'call_2',
      'call_3',
      'call_4',
    ]);
    expect(sent.at(-1)?.content).toContain('Reason: Not today.');
    expect(requests[0]?.max_iterations_left).toBe(8);
    expect(events.map(({ step }) => step).every((step) => step >= 2)).toBe(true);
  });

  test('a saved run that waits for approval replays to the same pending calls, and the saved resumed run to the same end', async () => {
    const { result: before, file } = await waiting([command('npm test')]);
    const replayedWait = await replayRun(readTrajectory(file)).result();
    expect(replayedWait).toMatchObject({ stopReason: 'needs_approval', pending: before.pending });
    const decisions = before.pending.map((call) => ({ ...call, type: 'allow' as const }));
    const { run, result } = await resume(file, { decisions }, done);
    const replayed = await replayRun(readTrajectory(JSON.stringify(run.save()))).result();
    expect({ ...replayed, summary: null }).toEqual({ ...result, summary: null });
  });

  test('a view with the events of a waiting run and of the resumed one shows them as one run', async () => {
    const { result: before, events, file } = await waiting([command('npm test')]);
    const half = events.reduce((view, event) => reduceRun(view, event), emptyRun());
    expect(half.steps[0]?.actions[0]).toMatchObject({ state: 'asked', approval: { decision: 'pending' } });
    const decisions = before.pending.map((call) => ({ ...call, type: 'allow' as const }));
    const resumed = await resume(file, { decisions }, done);
    const view = resumed.events.reduce((state, event) => reduceRun(state, event), half);
    expect(view.steps.map(({ number }) => number)).toEqual([1, 2]);
    expect(view.steps[0]?.actions[0]).toMatchObject({ state: 'done', result: 'ran npm test' });
  });

  test('a call without a decision waits again and no call of its step runs; with `approve`, the person is asked', async () => {
    const { result: before, file } = await waiting([both]);
    const decisions = before.pending.slice(0, 1).map((call) => ({ ...call, type: 'allow' as const }));
    const again = await resume(file, { decisions });
    expect(again.result).toMatchObject({ stopReason: 'needs_approval', pending: before.pending });
    expect(again.calls).toEqual([]);
    const approve = async () => ({ type: 'allow' as const });
    const asked = await resume(file, { decisions, approve }, done);
    expect(asked.calls).toEqual(['npm test', 'git push']);
  });

  test('a decision holds only for the arguments and the preview that the person saw', async () => {
    const { result: before, file } = await waiting([command('npm test')]);
    const decisions = before.pending.map((call) => ({ ...call, type: 'allow' as const }));
    const forged = file.replaceAll('npm test', 'rm -rf ~');
    const other = await resume(forged, { decisions });
    expect(other.result.stopReason).toBe('needs_approval');
    expect(other.calls).toEqual([]);
    const { tool, calls } = recordingTool();
    const changed = { ...tool, preview: async () => '$ something else' };
    const { result } = await resume(file, { decisions, tools: [changed] });
    expect(result).toMatchObject({
      stopReason: 'needs_approval',
      pending: [{ preview: '$ something else' }],
    });
    expect(calls).toEqual([]);
  });

  test('resume throws a TypeError for a decision about another call or other arguments, and for a run that does not wait', async () => {
    const { file } = await waiting([command('npm test')]);
    const client = new StepwiseClient({ baseUrl: 'http://127.0.0.1:9' });
    const decide = (id: string) => () =>
      client.resume(readTrajectory(file), { decisions: [{ id, argsHash: 'other', type: 'allow' }] });
    expect(decide('call_9')).toThrow(
      new TypeError('decisions[0].id: no call with this id waits for approval.'),
    );
    expect(decide('call_1')).toThrow(
      new TypeError('decisions[0].argsHash: the decision is about other arguments than those of call_1.'),
    );
    const { run } = await finish([done]);
    expect(() => client.resume(run.save(), { decisions: [] })).toThrow(
      new TypeError('resume: this run does not wait for approval. Continue it with client.run.'),
    );
  });

  test('resume of a saved run without an llmConfig uses the given one, and throws a TypeError that names it otherwise', async () => {
    const { file } = await waiting([command('npm test')]);
    const saved = { ...readTrajectory(file), options: {} } as Trajectory;
    const client = new StepwiseClient({ baseUrl: 'http://127.0.0.1:9' });
    const resumed = { tools: [recordingTool().tool], decisions: [] };
    expect(() => client.resume(saved, { ...resumed, llmConfig })).not.toThrow();
    expect(() => client.resume(saved, resumed)).toThrow(
      new TypeError('llmConfig: this field is required: an object.'),
    );
  });

  test('an undefined option of resume leaves the saved one', async () => {
    const { file, result } = await waiting([both], { instructions: 'Be brief.' });
    const decisions = (result.pending ?? []).map(
      ({ id, argsHash }) => ({ id, argsHash, type: 'deny' }) as const,
    );
    const { requests } = await resume(
      file,
      { decisions, instructions: undefined, maxSteps: undefined },
      done,
    );
    expect(requests.at(-1)).toMatchObject({ instructions: 'Be brief.' });
  });

  test('resume throws a TypeError if the tool of an allowed call is missing, also in a later step than the first', async () => {
    const { result: before, file } = await waiting([lookUpCall(), command('npm test')]);
    const client = new StepwiseClient({ baseUrl: 'http://127.0.0.1:9' });
    const decisions = before.pending.map((call) => ({ ...call, type: 'allow' as const }));
    const error = new TypeError(
      'tools: call_2 waits for the tool "run_command", which is missing. Pass the tools of the run to resume; nothing has run.',
    );
    expect(() => client.resume(readTrajectory(file), { decisions })).toThrow(error);
    expect(() => client.resume(readTrajectory(file), { decisions, tools: [lookUp] })).toThrow(error);
    expect(() => client.resume(readTrajectory(file), { decisions: [], tools: [lookUp] })).toThrow(error);
  });

  test('if the `tools` function omits the tool of an allowed call, the resumed run ends with an error and runs no call', async () => {
    const { result: before, file } = await waiting([both]);
    const decisions = before.pending.map((call) => ({ ...call, type: 'allow' as const }));
    const { result, events, requests } = await resume(file, { decisions, tools: async () => [lookUp] }, done);
    expect(result.stopReason).toBe('error');
    expect(result.error?.message).toContain('call_1 waits for the tool "run_command", which is missing.');
    expect(events.some(({ type }) => type === 'tool_start')).toBe(false);
    expect(requests).toEqual([]);
  });

  test('a refused call needs no tool: the observation has the refusal', async () => {
    const { result: before, file } = await waiting([command('npm test')]);
    const decisions = before.pending.map((call) => ({ ...call, type: 'deny' as const, reason: 'No.' }));
    const { result, requests } = await resume(file, { decisions, tools: [] }, done);
    expect(result.stopReason).toBe('denied');
    expect(requests[0]?.conversation_history.at(-1)?.content).toContain('Reason: No.');
    const stop = before.pending.map((call) => ({ ...call, type: 'stop' as const }));
    expect((await resume(file, { decisions: stop, tools: [] })).result.stopReason).toBe('stopped');
  });

  test('resume throws a TypeError that names the wrong field of a decision, or asks for a parsed saved run', async () => {
    const { result: before, file } = await waiting([command('npm test')]);
    const saved = readTrajectory(file);
    const client = new StepwiseClient({ baseUrl: 'http://127.0.0.1:9' });
    const { tool } = recordingTool();
    const { id, argsHash } = before.pending[0] ?? { id: '', argsHash: '' };
    const messageOf = (given: unknown, run: unknown = saved): string => {
      try {
        client.resume(run as typeof saved, { tools: [tool], decisions: given as PendingDecision[] });
      } catch (error) {
        if (error instanceof TypeError) return error.message;
      }
      return 'no TypeError';
    };
    const oneOf = 'expected one of: allow, always, edit, deny, wait, stop.';
    expect(messageOf([{ id, argsHash, type: 'yes' }])).toBe(`decisions[0].type: ${oneOf}`);
    expect(messageOf([{ id, type: 'allow' }])).toBe(
      'decisions[0].argsHash: this field is required: the argsHash of the pending call.',
    );
    expect(messageOf([{ id, argsHash, type: 'deny', reason: 42 }])).toBe(
      'decisions[0].reason: expected a string.',
    );
    expect(messageOf([{ id, argsHash, type: 'deny' }])).toBe('no TypeError');
    expect(messageOf([{ id, argsHash, type: 'edit' }])).toBe(
      'decisions[0].args: this field is required: an object.',
    );
    expect(messageOf([{ id, argsHash, type: 'always' }])).toBe(
      'decisions[0].rule: this field is required: an object.',
    );
    expect(messageOf(undefined)).toMatch(/^decisions: this field is required: a list of decisions/);
    expect(messageOf([], file)).toBe(
      'saved: expected a saved run: that of run.save(), or its file read with readTrajectory.',
    );
  });

  test('if an allowed call waits again, the result, its explanation and the saved file give the reason', async () => {
    const { result: before, file } = await waiting([command('npm test')]);
    const decisions = before.pending.map((call) => ({ ...call, type: 'allow' as const }));
    const { tool } = recordingTool();
    const changed = { ...tool, preview: async () => '$ something else' };
    const { run, result } = await resume(file, { decisions, tools: [changed] });
    const waitsAgain = 'The preview is not the one that the person saw.';
    expect(result.pending).toMatchObject([{ waitsAgain }]);
    expect(explainEnd(result)).toContain(`call_1 waits again. ${waitsAgain}`);
    expect(readTrajectory(JSON.stringify(run.save())).result?.pending).toMatchObject([{ waitsAgain }]);
  });

  test('if `approve` returns the decision `wait`, the calls stay pending', async () => {
    const { result } = await waiting([both], { approve: async () => ({ type: 'wait' }) });
    expect(result.pending).toHaveLength(2);
  });
});
