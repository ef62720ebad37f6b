import { describe, expect, test } from '@jest/globals';
import { playSaved } from '../../src/playground/run/play-saved.js';
import { reduceRun } from '../../src/playground/run/reduce-run.js';
import { emptyRun, type RunInput, type RunView } from '../../src/playground/run/run-view.js';
import type { RunOptions } from '../../src/sdk/run/run-options.js';
import { readTrajectory } from '../../src/sdk/saved/trajectory.js';
import { command, done, finish, lookUpCall, recordingTool, start } from '../support/run-harness.js';
import type { Script } from '../support/scripted-service.js';

/** A run as the page reads it, and every view on the way. */
async function live(script: readonly Script[], options: Partial<RunOptions> = {}) {
  const views: RunView[] = [emptyRun()];
  let at = 0;
  const take = (input: RunInput) => views.push(reduceRun(views.at(-1) ?? emptyRun(), input));
  const started = await start(script, {
    ...options,
    onRequest: (request) => take({ type: 'request', request, at: ++at }),
  });
  for await (const event of started.run) take({ type: 'event', event, at: ++at });
  const saved = readTrajectory(JSON.stringify(started.run.save()));
  return { views, view: views.at(-1) ?? emptyRun(), saved, service: started.service };
}

/** What does not depend on when it happened. */
const timeless = (view: RunView): unknown =>
  JSON.parse(
    JSON.stringify(view, (name, value: unknown) =>
      ['startedAt', 'endedAt', 'durationMs', 'since', 'timestamp', 'approval'].includes(name) ? null : value,
    ),
  );

const { tool } = recordingTool();
const allow = { tools: [tool], approve: async () => ({ type: 'allow' as const }) };
const deny = { tools: [tool], approve: async () => ({ type: 'deny' as const, reason: 'not today' }) };
const tasks: Script = { call: { name: 'create_tasks', args: { tasks: ['a', 'b'] } } };
const unreachable: Script = { error: 'upstream_error', retryAfterMs: 1 };
const round: Script[] = [
  { control: { plan: 'look' }, thought: 'I look.' },
  lookUpCall(),
  { control: { should_continue: false, final_answer: 'It is 42.' } },
];

const cases: readonly [string, Script[], Partial<RunOptions>][] = [
  ['an answer after a call', [lookUpCall(), done], {}],
  [
    'two calls in one step',
    [{ ...lookUpCall(), more: [{ name: 'look_up', args: { key: 'b' } }] } as Script, done],
    {},
  ],
  ['tasks', [tasks, done], {}],
  ['an unreadable action', [{ malformed: 'look_up(' }, done], {}],
  ['a command that is allowed', [command('ls'), done], allow],
  ['a command that is denied', [command('ls'), done], deny],
  ['the strict strategy', round, { strategy: 'reason-act-observe' }],
  ['the limit of steps', [lookUpCall()], { maxSteps: 2 }],
  [
    'a run that was stopped where a person was asked',
    [lookUpCall(), command('ls')],
    { tools: [tool], approve: async () => ({ type: 'stop' }) },
  ],
];

describe('the view of a run (rule: playground-page)', () => {
  test.each(cases)('%s: the same live and from its file', async (_, script, options) => {
    const { view, saved } = await live(script, options);
    expect(timeless(await playSaved(saved))).toEqual(timeless(view));
  });

  test('each step holds its request as the service received it', async () => {
    const { view, service } = await live([lookUpCall(), done]);
    const requests = view.steps.flatMap(({ calls }) => calls.map(({ request }) => request));
    expect(JSON.parse(JSON.stringify(requests))).toEqual(JSON.parse(JSON.stringify(service.requests)));
  });

  test('a step says what was called, what came of it, and what the model then reads', async () => {
    const { view } = await live([lookUpCall(), done]);
    expect(view.steps.map(({ number }) => number)).toEqual([1, 2]);
    expect(view.steps[0]?.actions).toMatchObject([
      { tool: 'look_up', state: 'done', observation: expect.stringContaining('is 42') },
    ]);
    expect(view.result?.stop_reason).toBe('answered');
    expect(view.activity).toBeNull();
  });

  test('what the model writes is seen while it is written', async () => {
    const { views } = await live([lookUpCall(), done]);
    const partial = views.map(({ steps }) => steps[1]?.calls[0]).filter((call) => call && !call.response);
    expect(partial.some((call) => call?.answer !== '')).toBe(true);
  });

  test('what goes on: thinking, the tool, then nothing', async () => {
    const { views } = await live([lookUpCall(), done]);
    const types = views.map(({ activity }) => activity?.type ?? null);
    expect(types).toEqual(expect.arrayContaining(['thinking', 'tool', 'writing']));
  });

  test('a call that was denied says so, and one beside it that did not run', async () => {
    const both = {
      ...command('ls'),
      more: [{ name: 'run_command', args: { command: 'id' }, requiresApproval: true }],
    };
    let asked = 0;
    const approve = async () => {
      asked += 1;
      return asked === 1 ? ({ type: 'deny', reason: 'no' } as const) : ({ type: 'allow' } as const);
    };
    const { view } = await live([both as Script, done], { tools: [tool], approve });
    expect(view.steps[0]?.actions.map(({ state }) => state)).toContain('denied');
    expect(view.steps[0]?.actions.every(({ observation }) => observation !== null)).toBe(true);
  });

  test('a try that failed stands beside the one that worked', async () => {
    const { view, views } = await live([unreachable, done], { retries: 1 });
    expect(view.steps).toHaveLength(1);
    expect(view.steps[0]?.calls[0]).toMatchObject({
      failures: [{ error: { code: 'upstream_error' }, retryInMs: 1 }],
      response: { status: 'direct_response_provided' },
    });
    expect(views.some(({ activity }) => activity?.type === 'retry')).toBe(true);
  });

  test('a step that is tried again has not ended before it began: it took all of its tries', async () => {
    const { views } = await live([unreachable, done], { retries: 1 });
    const calls = views.flatMap(({ steps }) => steps[0]?.calls[0] ?? []).filter(({ startedAt }) => startedAt);
    expect(new Set(calls.map(({ startedAt }) => startedAt)).size).toBe(1);
    for (const { startedAt, endedAt } of calls)
      expect(endedAt ?? startedAt).toBeGreaterThanOrEqual(startedAt ?? 0);
    expect(calls.at(-1)?.endedAt).not.toBeNull();
    expect(calls.filter(({ response }) => !response).at(-1)?.endedAt).toBeNull();
  });

  test('a run that failed keeps what it did', async () => {
    const { view } = await live([lookUpCall(), { error: 'upstream_billing' }]);
    expect(view.result?.error?.code).toBe('upstream_billing');
    expect(view.steps[1]?.calls[0]?.failures).toHaveLength(1);
  });

  test('what was on its way when the run was stopped has stopped, in step and phase', async () => {
    const { run } = await start([lookUpCall(), { fault: 'silence' }]);
    let view = emptyRun();
    for await (const event of run) {
      view = reduceRun(view, { type: 'event', event, at: null });
      if (event.type === 'agent_turn_start' && event.step === 2) setTimeout(() => run.stop(), 20);
    }
    expect(view.steps[1]?.calls).toMatchObject([{ response: null, isAbandoned: true }]);
    expect(view.activity).toBeNull();
  });

  test('a command that was stopped says so, with what the history has of it', async () => {
    const forever = { ...tool, annotations: {}, execute: () => new Promise(() => undefined) };
    const { run } = await start([command('sleep')], { ...allow, tools: [forever] });
    let view = emptyRun();
    for await (const event of run) {
      view = reduceRun(view, { type: 'event', event, at: null });
      if (event.type === 'tool_start') setTimeout(() => run.stop(), 20);
    }
    expect(view.steps[0]?.actions).toMatchObject([
      { state: expect.stringMatching(/stopped|failed/), observation: expect.stringMatching(/./) },
    ]);
  });

  test('a step that is over is never touched again', async () => {
    const { views } = await live([lookUpCall(), lookUpCall('b'), done]);
    const first = views.findIndex(({ steps }) => steps.length === 2);
    expect(new Set(views.slice(first).map(({ steps }) => steps[0])).size).toBe(1);
  });

  test('a branch begins with the steps of the run it left, and counts on', async () => {
    const { view } = await live([lookUpCall(), done]);
    const inherited = view.steps.slice(0, 1);
    const { run } = await start([lookUpCall('b'), done]);
    let branch = emptyRun(inherited);
    for await (const event of run) branch = reduceRun(branch, { type: 'event', event, at: null });
    expect(branch.steps.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(branch.steps[0]).toBe(inherited[0]);
  });

  test('every kind of event is told apart: a whole run goes through without a stray field', async () => {
    const { events } = await finish([tasks, lookUpCall(), done]);
    const view = events.reduce(
      (before, event) => reduceRun(before, { type: 'event', event, at: null }),
      emptyRun(),
    );
    expect(Object.keys(view).sort()).toEqual(Object.keys(emptyRun()).sort());
    expect(view.tasks.map(({ content }) => content)).toEqual(['a', 'b']);
  });
});
