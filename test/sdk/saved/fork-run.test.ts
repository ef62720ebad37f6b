import { describe, expect, test } from '@jest/globals';
import { StepwiseClient } from '../../../src/sdk/client/stepwise-client.js';
import type { RunOptions } from '../../../src/sdk/run/run-options.js';
import type { Trajectory } from '../../../src/sdk/run/trajectory.js';
import { continueRun, type Fork, forkRun, joinRuns } from '../../../src/sdk/saved/fork-run.js';
import { readTrajectory } from '../../../src/sdk/saved/read-trajectory.js';
import { replayRun } from '../../../src/sdk/saved/replay-run.js';
import { pdf, png } from '../../support/attachments.js';
import { command, done, finish, lookUp, lookUpCall, recordingTool } from '../../support/run-harness.js';
import { type Script, startScriptedService } from '../../support/scripted-service.js';

async function save(script: readonly Script[], options?: Partial<RunOptions>): Promise<Trajectory> {
  const { run } = await finish(script, options);
  return readTrajectory(JSON.stringify(run.save()));
}

/** Forks a run and continues it with another script. */
async function branch(
  saved: Trajectory,
  fork: Fork,
  { script, options = {} }: { script: readonly Script[]; options?: Partial<RunOptions> },
) {
  const service = await startScriptedService(...script);
  try {
    const kept = await forkRun(saved, fork);
    const [task, kindred] = continueRun(kept);
    const client = new StepwiseClient({ baseUrl: service.url });
    const run = client.run(task, { ...kindred, tools: [lookUp], ...options });
    const result = await run.result();
    const joined = readTrajectory(JSON.stringify(joinRuns(kept, run.save())));
    return { kept, run, result, joined, requests: service.requests };
  } finally {
    await service.close();
  }
}

const calls = ['a', 'b', 'c'].map((name) => lookUpCall(name));

describe('a run forked off a saved one (rule: saved-runs)', () => {
  test('a forked run begins with the history of the saved run before that step', async () => {
    const { run, service } = await finish([...calls, done]);
    const { requests } = await branch(run.save(), { responses: 2 }, { script: [done] });
    const [before] = [service.requests[2]];
    expect(requests[0]?.conversation_history).toEqual(before?.conversation_history);
    expect(requests[0]?.user_query).toBe('');
    expect(requests[0]?.session_id).toBe(before?.session_id);
    expect(requests[0]?.max_iterations_left).toBe(before?.max_iterations_left);
  });

  test('a run forked before the first step sends the task again', async () => {
    const { run, service } = await finish([...calls, done]);
    const { requests } = await branch(run.save(), { responses: 0 }, { script: [done] });
    expect(requests[0]).toEqual(service.requests[0]);
  });

  test('a forked run sends the replaced observation to the model', async () => {
    const saved = await save([...calls, done]);
    const { requests, joined } = await branch(
      saved,
      { responses: 2, observations: { call_2: 'b is 7' } },
      { script: [done] },
    );
    const contents = requests[0]?.conversation_history.map(({ content }) => content);
    expect(contents).toContain('a is 42');
    expect(contents).toContain('b is 7');
    expect(contents).not.toContain('b is 42');
    expect(JSON.stringify(joined)).not.toContain('b is 42');
  });

  const camera = { ...lookUp, execute: () => ({ content: 'The page.', attachments: [png(3, 5)] }) };
  test.each<[string, Fork['observations'], object]>([
    ['none', {}, { content: 'The page.', attachments: [png(3, 5)] }],
    ['a text', { call_1: 'Another page.' }, { content: 'Another page.', attachments: [png(3, 5)] }],
    [
      'a text and an image',
      { call_1: { content: 'A PDF.', attachments: [pdf(1)] } },
      { content: 'A PDF.', attachments: [pdf(1)] },
    ],
    [
      'a text and no image',
      { call_1: { content: 'Gone.', attachments: [] } },
      { content: 'Gone.', attachments: undefined },
    ],
  ])('after a tool returned an image and the fork replaced %s, the model gets the right text and image', async (_, observations, expected) => {
    const saved = await save([...calls, done], { tools: [camera] });
    const { requests, joined, result } = await branch(
      saved,
      { responses: 1, observations },
      { script: [done] },
    );
    const { content, attachments } = requests[0]?.conversation_history.at(-1) ?? {};
    expect({ content, attachments }).toEqual(expected);
    expect((await replayRun(joined).result()).history).toEqual(result.history);
  });

  test('a run forked before its first step sends the images of the task again, a later fork does not', async () => {
    const saved = await save([...calls, done], { attachments: [png(8, 8)] });
    const early = await branch(saved, { responses: 0 }, { script: [done] });
    expect(early.requests[0]?.attachments).toEqual([png(8, 8)]);
    const late = await branch(saved, { responses: 1 }, { script: [done] });
    expect(late.requests[0]).not.toHaveProperty('attachments');
    expect(late.requests[0]?.conversation_history[0]?.attachments).toEqual([png(8, 8)]);
    expect((await replayRun(late.joined).result()).history).toEqual(late.result.history);
  });

  test('a forked run keeps denials and edited arguments', async () => {
    const { tool } = recordingTool();
    const decisions = [
      { type: 'deny', reason: 'No.' },
      { type: 'edit', args: { command: 'ls' } },
    ] as const;
    let asked = 0;
    const saved = await save([command('rm'), command('rm'), lookUpCall(), done], {
      tools: [tool, lookUp],
      approve: async () => decisions[asked++ % 2] ?? { type: 'stop' },
    });
    const { kept } = await branch(saved, { responses: 2 }, { script: [done] });
    expect(kept.observations).toEqual(saved.observations.slice(0, 2));
  });

  test('a forked run can answer the question that the saved run ended with', async () => {
    const saved = await save([{ call: { name: 'request_input', args: { question: 'Q' } } }]);
    const { requests, result } = await branch(
      saved,
      { responses: 1, observations: { call_1: 'A' } },
      { script: [done] },
    );
    expect(requests[0]?.conversation_history.at(-1)).toMatchObject({ content: 'A', toolCallId: 'call_1' });
    expect(result.stopReason).toBe('answered');
  });

  test('a forked run has the TODO list of that step', async () => {
    const tasks: Script = { call: { name: 'create_tasks', args: { tasks: ['x'] } } };
    const saved = await save([lookUpCall(), tasks, done]);
    expect((await forkRun(saved, { responses: 1 })).tasks).toEqual([]);
    expect((await forkRun(saved, { responses: 2 })).tasks).toHaveLength(1);
  });

  test('a run of reason-act-observe can be forked after a round', async () => {
    const round: Script[] = [
      { control: { plan: 'look' }, thought: 'I look.' },
      lookUpCall(),
      { control: { should_continue: true } },
      { control: { finish: true } },
      { control: { final_answer: 'It is 42.' } },
    ];
    const saved = await save(round, { strategy: 'reason-act-observe', maxSteps: 4 });
    const { requests } = await branch(
      saved,
      { responses: 3 },
      { script: [{ control: { finish: true } }, done] },
    );
    expect(requests[0]).toMatchObject({ phase: 'reason', max_iterations_left: 3 });
  });
});

describe('joined runs: a saved run together with its continuation (rule: saved-runs)', () => {
  test.each<[string, Partial<RunOptions>]>([
    ['as many steps as were left', {}],
    ['more steps', { maxSteps: 30 }],
    ['fewer steps', { maxSteps: 2 }],
  ])('the replay of a joined run has all its steps if the continuation was allowed %s', async (_, options) => {
    const saved = await save([...calls, done], { maxSteps: 8 });
    const script = [lookUpCall('x'), lookUpCall('y'), done];
    const { joined, result } = await branch(saved, { responses: 3 }, { script, options });
    const replay = replayRun(joined);
    const played = await replay.result();
    expect(played.history).toEqual(result.history);
    expect(played.stopReason).toBe(result.stopReason);
    expect(played.answer).toBe(result.answer);
    expect(played.steps).toHaveLength(3 + result.steps.length);
    expect(replay.save()).toMatchObject({ task: saved.task, responses: joined.responses });
  });

  test('the replay of a joined run sends the original max_iterations_left with each step', async () => {
    const saved = await save([...calls, done], { maxSteps: 3 });
    const { joined, kept, requests } = await branch(
      saved,
      { responses: 3 },
      { script: [lookUpCall('x'), done], options: { maxSteps: 30 } },
    );
    expect(joined.responses.slice(0, 3)).toEqual(kept.responses);
    const limits: (number | undefined)[] = [];
    const replay = replayRun(joined, { onRequest: (request) => limits.push(request.max_iterations_left) });
    expect((await replay.result()).stopReason).toBe('answered');
    expect(requests.map((request) => request.max_iterations_left)).toEqual([30, 29]);
    expect(limits).toEqual([3, 2, 1, 30, 29]);
  });

  test('the result of a joined run has all steps and the sum of their usage', async () => {
    const saved = await save([...calls, done]);
    const { joined, result } = await branch(saved, { responses: 2 }, { script: [lookUpCall('x'), done] });
    expect(joined.result?.steps.map(({ number }) => number)).toEqual([1, 2, 3, 4]);
    const played = JSON.parse(JSON.stringify(await replayRun(joined).result()));
    expect(played).toMatchObject({ steps: joined.result?.steps, usage: joined.result?.usage });
    expect(joined.result?.answer).toBe(result.answer);
  });

  test('the replay of a joined run includes calls of tools that the continuation no longer offers', async () => {
    const { tool } = recordingTool();
    const approve = async () => ({ type: 'allow' as const });
    const saved = await save([command('ls'), lookUpCall(), done], { tools: [tool, lookUp], approve });
    const { joined, result } = await branch(saved, { responses: 1 }, { script: [done] });
    expect(joined.tools.map(({ name }) => name)).toContain('run_command');
    expect((await replayRun(joined).result()).history).toEqual(result.history);
  });

  test('a joined run can be forked before and after the first fork', async () => {
    const saved = await save([...calls, done]);
    const first = await branch(saved, { responses: 1 }, { script: [lookUpCall('x'), lookUpCall('y'), done] });
    const early = await branch(first.joined, { responses: 1 }, { script: [done] });
    expect(early.kept.history).toEqual(first.kept.history);
    const late = await branch(first.joined, { responses: 2 }, { script: [done] });
    expect(late.kept.observations.map(({ content }) => content)).toEqual(['a is 42', 'x is 42']);
  });
});
