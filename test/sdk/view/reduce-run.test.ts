import { describe, expect, test } from '@jest/globals';
import { playSaved } from '../../../src/playground/run/play-saved.js';
import type { RunEvent } from '../../../src/sdk/run/run-events.js';
import type { RunOptions } from '../../../src/sdk/run/run-options.js';
import { readTrajectory } from '../../../src/sdk/saved/read-trajectory.js';
import { reduceRun } from '../../../src/sdk/view/reduce-run.js';
import { emptyRun, type RequestSent, type RunView } from '../../../src/sdk/view/run-view.js';
import { command, done, finish, lookUpCall, recordingTool, start } from '../../support/run-harness.js';
import type { Script } from '../../support/scripted-service.js';

/** Runs a script and returns the view after each event. */
async function live(script: readonly Script[], options: Partial<RunOptions> = {}) {
  const views: RunView[] = [emptyRun()];
  let at = 0;
  const take = (event: RunEvent | RequestSent) =>
    views.push(reduceRun(views.at(-1) ?? emptyRun(), event, ++at));
  const started = await start(script, {
    ...options,
    onRequest: (request) => take({ type: 'request_sent', request }),
  });
  for await (const event of started.run) take(event);
  const saved = readTrajectory(JSON.stringify(started.run.save()));
  return { views, view: views.at(-1) ?? emptyRun(), saved, service: started.service };
}

/** Drops times, which differ between a run and its replay. */
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

describe('the view of a run (rule: run-view)', () => {
  test.each(cases)('a live run and its saved file give the same view: %s', async (_, script, options) => {
    const { view, saved } = await live(script, options);
    expect(timeless(await playSaved(saved))).toEqual(timeless(view));
  });

  test('each model call in the view has the request that the service received', async () => {
    const { view, service } = await live([lookUpCall(), done]);
    const requests = view.steps.flatMap(({ calls }) => calls.map(({ request }) => request));
    expect(JSON.parse(JSON.stringify(requests))).toEqual(JSON.parse(JSON.stringify(service.requests)));
  });

  test('a step in the view has its tool call with state and observation', async () => {
    const { view } = await live([lookUpCall(), done]);
    expect(view.steps.map(({ number }) => number)).toEqual([1, 2]);
    expect(view.steps[0]?.actions).toMatchObject([
      { tool: 'look_up', state: 'done', observation: expect.stringContaining('is 42') },
    ]);
    expect(view.result?.stopReason).toBe('answered');
    expect(view.activity).toBeNull();
  });

  test('the answer in the view grows with its deltas before the response arrives', async () => {
    const { views } = await live([lookUpCall(), done]);
    const partial = views.map(({ steps }) => steps[1]?.calls[0]).filter((call) => call && !call.response);
    expect(partial.some((call) => call?.answer !== '')).toBe(true);
  });

  test('the activity of the view is thinking, then the tool, then writing, and null at the end', async () => {
    const { views } = await live([lookUpCall(), done]);
    const types = views.map(({ activity }) => activity?.type ?? null);
    expect(types).toEqual(expect.arrayContaining(['thinking', 'tool', 'writing']));
  });

  test('a denied call and the other call of its step both have an observation', async () => {
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

  test('the view of a retried call has its failed attempt and the response', async () => {
    const { view, views } = await live([unreachable, done], { retries: 1 });
    expect(view.steps).toHaveLength(1);
    expect(view.steps[0]?.calls[0]).toMatchObject({
      failures: [{ error: { code: 'upstream_error' }, retryInMs: 1 }],
      response: { status: 'direct_response_provided' },
    });
    expect(views.some(({ activity }) => activity?.type === 'retry')).toBe(true);
  });

  test('the time of a retried call runs from its first attempt to its response', async () => {
    const { views } = await live([unreachable, done], { retries: 1 });
    const calls = views.flatMap(({ steps }) => steps[0]?.calls[0] ?? []).filter(({ startedAt }) => startedAt);
    expect(new Set(calls.map(({ startedAt }) => startedAt)).size).toBe(1);
    for (const { startedAt, endedAt } of calls)
      expect(endedAt ?? startedAt).toBeGreaterThanOrEqual(startedAt ?? 0);
    expect(calls.at(-1)?.endedAt).not.toBeNull();
    expect(calls.filter(({ response }) => !response).at(-1)?.endedAt).toBeNull();
  });

  test('the view of a failed run keeps its earlier steps and the failure', async () => {
    const { view } = await live([lookUpCall(), { error: 'upstream_billing' }]);
    expect(view.result?.error?.code).toBe('upstream_billing');
    expect(view.steps[1]?.calls[0]?.failures).toHaveLength(1);
  });

  test('a model call without a response is abandoned when the run is stopped', async () => {
    const { run } = await start([lookUpCall(), { fault: 'silence' }]);
    let view = emptyRun();
    for await (const event of run) {
      view = reduceRun(view, event);
      if (event.type === 'agent_turn_start' && event.step === 2) setImmediate(() => run.stop());
    }
    expect(view.steps[1]?.calls).toMatchObject([{ response: null, isAbandoned: true }]);
    expect(view.activity).toBeNull();
  });

  test('a command that was running when the run was stopped has an observation', async () => {
    const forever = { ...tool, annotations: {}, execute: () => new Promise(() => undefined) };
    const { run } = await start([command('sleep')], { ...allow, tools: [forever] });
    let view = emptyRun();
    for await (const event of run) {
      view = reduceRun(view, event);
      if (event.type === 'tool_start') setImmediate(() => run.stop());
    }
    expect(view.steps[0]?.actions).toMatchObject([
      { state: expect.stringMatching(/stopped|failed/), observation: expect.stringMatching(/./) },
    ]);
  });

  test('reduceRun keeps a step the same object once the next step has begun', async () => {
    const { views } = await live([lookUpCall(), lookUpCall('b'), done]);
    const first = views.findIndex(({ steps }) => steps.length === 2);
    expect(new Set(views.slice(first).map(({ steps }) => steps[0])).size).toBe(1);
  });

  test('a branch begins with the inherited steps and continues their numbers', async () => {
    const { view } = await live([lookUpCall(), done]);
    const inherited = view.steps.slice(0, 1);
    const { run } = await start([lookUpCall('b'), done]);
    let branch = emptyRun(inherited);
    for await (const event of run) branch = reduceRun(branch, event);
    expect(branch.steps.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(branch.steps[0]).toBe(inherited[0]);
  });

  test('the view after a whole run has the same fields as emptyRun', async () => {
    const { events } = await finish([tasks, lookUpCall(), done]);
    const view = events.reduce((before, event) => reduceRun(before, event), emptyRun());
    expect(Object.keys(view).sort()).toEqual(Object.keys(emptyRun()).sort());
    expect(view.tasks.map(({ content }) => content)).toEqual(['a', 'b']);
  });

  const event = (told: object) => told as RunEvent; // cast: the reducer reads only these fields
  const turn = event({ type: 'agent_turn_start', step: 1, phase: null, iterationsLeft: 1 });
  const callOf = (...events: readonly RunEvent[]) =>
    events
      .reduce((view, each) => reduceRun(view, each), emptyRun())
      .steps.at(-1)
      ?.calls.at(-1);

  test('the view separates draft, thought and answer and drops white space before their first word', () => {
    const deltas = [
      event({ type: 'draft_delta', delta: ' \n' }),
      event({ type: 'draft_delta', delta: 'Maybe' }),
      event({ type: 'thought_delta', delta: 'I look' }),
      event({ type: 'answer_delta', delta: '\n' }),
    ];
    expect(callOf(turn, ...deltas)).toMatchObject({ draft: 'Maybe', thought: 'I look', answer: '' });
  });

  test('the text of a failed attempt stays in the view until the next attempt streams text', () => {
    const failed = [
      turn,
      event({ type: 'draft_delta', delta: 'May' }),
      event({ type: 'agent_error', error: { code: 'upstream_error' }, retryInMs: 1 }),
    ];
    expect(callOf(...failed)).toMatchObject({ draft: 'May', isStale: true });
    const again = event({ type: 'thought_delta', delta: 'I' });
    expect(callOf(...failed, again)).toMatchObject({ draft: '', thought: 'I', isStale: false });
  });

  test('the view has the sum of all usage and the newest context report', async () => {
    const { view } = await live([lookUpCall(), done]);
    expect(view.usage).toEqual(view.result?.usage);
    expect(view.report).toBe(view.steps.at(-1)?.calls.at(-1)?.response?.context_report ?? null);
  });

  test('an approval in the view is pending until the call starts or is denied', async () => {
    const { views: allowed } = await live([command('ls'), done], allow);
    const { views: denied } = await live([command('ls'), done], deny);
    const decisions = (views: readonly RunView[]) => [
      ...new Set(views.flatMap(({ steps }) => steps[0]?.actions[0]?.approval?.decision ?? [])),
    ];
    expect(decisions(allowed)).toEqual(['pending', 'allowed']);
    expect(decisions(denied)).toEqual(['pending', 'denied']);
  });

  test('an approval that was never decided has the decision `none` at the end of the run', async () => {
    const approve = async () => ({ type: 'stop' as const });
    const { view } = await live([command('ls')], { tools: [tool], approve });
    expect(view.steps[0]?.actions[0]?.approval?.decision).toBe('none');
  });

  test('a question in the view is pending until it is answered, and gets the state `none` if nobody can be asked', async () => {
    const question: Script = { call: { name: 'request_input', args: { question: 'Which?' } } };
    const states = ({ views }: { views: readonly RunView[] }) => [
      ...new Set(views.flatMap(({ steps }) => steps[0]?.actions[0]?.question?.state ?? [])),
    ];
    const asked = await live([question, done], { onInputRequest: async () => 'This.' });
    expect(states(asked)).toEqual(['pending', 'answered']);
    expect(states(await live([question]))).toEqual(['pending', 'none']);
    const onInputRequest = () => new Promise<string>(() => undefined);
    const late = await live([question, done], {
      onInputRequest,
      inputTimeoutMs: 1,
      onInputTimeout: 'continue',
    });
    expect(states(late)).toEqual(['pending', 'timed_out']);
  });

  test('the view keeps the last 60,000 characters of the output of a running tool', () => {
    const call = { id: 'c', toolName: 'run_command', toolArgs: {}, step: 1 };
    const output = (delta: string) => event({ type: 'tool_output', ...call, delta });
    const events = [turn, event({ type: 'tool_start', ...call }), output('a'.repeat(50_000)), output('b')];
    const outputOf = (...more: readonly RunEvent[]) =>
      [...events, ...more].reduce((view, each) => reduceRun(view, each), emptyRun()).steps[0]?.actions[0]
        ?.output;
    expect(outputOf()).toBe(`${'a'.repeat(50_000)}b`);
    expect(outputOf(output('c'.repeat(59_999)))).toBe(`b${'c'.repeat(59_999)}`);
  });

  test('a tool call in the view has the result of the tool, and in its observation also the note on edited arguments', async () => {
    const approve = async () => ({ type: 'edit' as const, args: { command: 'pwd' } });
    const { view } = await live([command('ls'), done], { tools: [tool], approve });
    const [action] = view.steps[0]?.actions ?? [];
    expect(action?.args).toEqual({ command: 'pwd' });
    expect(action?.observation).not.toBe(action?.result);
    expect(action?.observation?.endsWith(action.result ?? '?')).toBe(true);
  });

  test('a second run in the same view continues the steps, their numbers and the usage', async () => {
    const { events: first } = await finish([lookUpCall(), done]);
    const { events: second } = await finish([done]);
    const viewOf = (events: readonly RunEvent[], before = emptyRun()) =>
      events.reduce((view, each) => reduceRun(view, each), before);
    const one = viewOf(first);
    const both = viewOf(second, one);
    expect(both.steps.map(({ number }) => number)).toEqual([1, 2, 3]);
    expect(both.steps.slice(0, 2)).toEqual(one.steps);
    expect(both.inherited).toBe(2);
    expect(both.usage.input_tokens).toBe(
      (one.usage.input_tokens ?? 0) + (viewOf(second).usage.input_tokens ?? 0),
    );
  });

  test('reduceRun changes no earlier view of a run', async () => {
    const freeze = (value: unknown): void => {
      if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
      Object.freeze(value);
      Object.values(value).forEach(freeze);
    };
    const { events } = await finish([tasks, lookUpCall(), done]);
    let view = emptyRun();
    for (const each of events) {
      freeze(view);
      view = reduceRun(view, each);
    }
    expect(view.result?.stopReason).toBe('answered');
  });
});
