import { describe, expect, test } from '@jest/globals';
import { TerminalToolError } from '../../../src/sdk/actions/tool-errors.js';
import type { RunOptions } from '../../../src/sdk/run/run-options.js';
import { done, finish, lookUp, recordingTool } from '../../support/run-harness.js';
import type { Script } from '../../support/scripted-service.js';

const strict = (options: Partial<RunOptions> = {}): Partial<RunOptions> => ({
  strategy: 'reason-act-observe',
  ...options,
});
const endingTool = {
  ...lookUp,
  execute: () => Promise.reject(new TerminalToolError('SYSTEM_ERROR', 'The disk is full.')),
};
const reason: Script = { thought: 'I need the price.', control: { plan: 'look', finish: false } };
const act = { thought: 'Now.', call: { name: 'look_up', args: { key: 'price' } } };
const observe: Script = { thought: 'It is 42.', control: { observation: 'known', should_continue: true } };

describe('the strategy reason-act-observe (rule: strategies)', () => {
  test('reason-act-observe makes one call per phase, and only observe uses up an iteration', async () => {
    const { service, result } = await finish(
      [reason, act, observe, reason, act, done],
      strict({ maxSteps: 4 }),
    );
    expect(service.requests.map(({ phase }) => phase)).toEqual([
      ...['reason', 'act', 'observe'],
      ...['reason', 'act', 'observe'],
    ]);
    expect(service.requests.map(({ max_iterations_left }) => max_iterations_left)).toEqual([
      4, 4, 4, 3, 3, 3,
    ]);
    expect(result).toMatchObject({ stopReason: 'answered', answer: 'It is 42.' });
    expect(result.steps).toHaveLength(2);
  });

  test('each phase of a round emits one event with the response, labelled with the phase (rule: run-events)', async () => {
    const { events } = await finish([reason, act, observe, reason, act, done], strict({ maxSteps: 2 }));
    const said = events.flatMap((event) =>
      'response' in event ? [[event.type, event.phase, event.response?.phase, event.thought]] : [],
    );
    expect(said).toEqual([
      ['agent_reason', 'reason', 'reason', 'I need the price.'],
      ['agent_reason', 'act', 'act', 'Now.'],
      ['agent_observe', 'observe', 'observe', 'It is 42.'],
      ['agent_reason', 'reason', 'reason', 'I need the price.'],
      ['agent_reason', 'act', 'act', 'Now.'],
      ['agent_observe', 'observe', 'observe', null],
    ]);
  });

  test('agent_observe comes once a round in reason-act-observe, with the observations of act (rule: run-events)', async () => {
    const { events, service } = await finish([reason, act, observe, reason, act, done], strict());
    const observed = events.flatMap((event) => (event.type === 'agent_observe' ? [event] : []));
    expect(
      observed.map(({ step, observations }) => [step, observations.map(({ content }) => content)]),
    ).toEqual([
      [1, ['price is 42']],
      [2, ['price is 42']],
    ]);
    // In the phase observe the model already got the first observation, before its event.
    expect(service.requests[2]?.conversation_history.at(-1)).toMatchObject({ content: 'price is 42' });
  });

  test.each([
    ['a tool ends the run', { tools: [endingTool] }],
    ['a question stays open', { tools: [lookUp] }],
    ['the service fails in observe', { tools: [lookUp], retries: 0 }],
  ])('a round that ends before its phase observe emits one agent_observe with the observations so far: %s', async (why, options) => {
    const call =
      why === 'a question stays open' ? { name: 'request_input', args: { question: 'Sure?' } } : act.call;
    const { events, result } = await finish([reason, { call }, { error: 'upstream_error' }], strict(options));
    const observed = events.flatMap((event) => (event.type === 'agent_observe' ? [event] : []));
    expect(observed).toEqual([expect.objectContaining({ step: 1, thought: null, response: null })]);
    expect(result.history).toEqual(expect.arrayContaining([...(observed[0]?.observations ?? [])]));
    expect(result.stopReason).toBe(why === 'a question stays open' ? 'needs_input' : 'error');
  });

  test('every event from the beginning of a phase to its end has the phase as label, the last event has none (rule: run-events)', async () => {
    const { events } = await finish([reason, act, observe, reason, act, done], strict());
    let current: string | undefined;
    for (const event of events) {
      if (event.type === 'agent_turn_start') current = event.phase ?? undefined;
      expect(event.phase).toBe(event.type === 'agent_completion' ? undefined : current);
    }
    expect(current).toBe('observe');
  });

  test('no event of react has the label of a phase (rule: run-events)', async () => {
    const { events } = await finish([act, done]);
    const labelled = events.filter((event) => event.type !== 'agent_turn_start' && 'phase' in event);
    expect(labelled).toEqual([]);
  });

  test('finish: true in reason skips act and makes observe answer', async () => {
    const { service, result } = await finish(
      [{ thought: 'Clear.', control: { finish: true } }, done],
      strict(),
    );
    expect(service.requests.map(({ phase }) => phase)).toEqual(['reason', 'observe']);
    expect(service.requests[1]?.max_iterations_left).toBe(1);
    expect(result.stopReason).toBe('answered');
  });

  test('a text without an action in act continues with observe', async () => {
    const { service } = await finish([reason, { thought: 'Nothing to do.', control: {} }, done], strict());
    expect(service.requests.map(({ phase }) => phase)).toEqual(['reason', 'act', 'observe']);
  });

  test.each([
    ['malformed', [1, 2]],
    ['empty', [1, 2]],
  ] as const)('reason-act-observe repeats the phase act until the reply is usable, then observe follows: %s', async (kind, counts) => {
    const unusable: Script =
      kind === 'malformed' ? { malformed: 'Action: look_up(' } : { error: 'empty_response' };
    for (const count of counts) {
      const script = [reason, ...Array<Script>(count).fill(unusable), act, done];
      const { service, result } = await finish(script, strict());
      const phases = ['reason', ...Array(count).fill('act'), 'act', 'observe'];
      expect(service.requests.map(({ phase }) => phase)).toEqual(phases);
      expect(result).toMatchObject({ stopReason: 'answered', answer: 'It is 42.' });
      expect(result.steps).toHaveLength(1);
    }
  });

  test('when reason-act-observe repeats act, the newest turn of the history is the correction (rule: correction-limit)', async () => {
    const { service } = await finish([reason, { malformed: 'Action: look_up(' }, act, done], strict());
    expect(service.requests[2]?.conversation_history.at(-1)).toMatchObject({ role: 'user', kind: 'notice' });
    expect(service.requests.map(({ max_iterations_left }) => max_iterations_left)).toEqual([10, 10, 10, 10]);
  });

  test('three unreadable actions in a row end a run of reason-act-observe without observe (rule: correction-limit)', async () => {
    const { service, result } = await finish([reason, { malformed: 'Action: look_up(' }], strict());
    expect(service.requests.map(({ phase }) => phase)).toEqual(['reason', 'act', 'act', 'act']);
    expect(result).toMatchObject({ stopReason: 'error', error: { code: 'malformed_action' } });
  });

  test('an unclear text in the phase act gets one correction, then observe follows (rule: correction-limit)', async () => {
    const unclear: Script = { control: {}, thought: 'I look.', correctText: true };
    const { service, result } = await finish([reason, unclear, unclear, done], strict());
    expect(service.requests.map(({ phase }) => phase)).toEqual(['reason', 'act', 'act', 'observe']);
    expect(result).toMatchObject({ stopReason: 'answered', answer: 'It is 42.' });
  });

  test('maxSteps counts whole rounds in reason-act-observe', async () => {
    const { result, service } = await finish([reason, act, observe], strict({ maxSteps: 1 }));
    expect(service.requests).toHaveLength(3);
    expect(result.stopReason).toBe('step_limit');
  });
});

describe('event types of a run (rule: run-events)', () => {
  const { tool } = recordingTool();
  const tools = [lookUp, tool];
  const everything: Script[] = [
    { error: 'upstream_overloaded', retryAfterMs: 1 },
    { thought: 'Plan.', call: { name: 'create_tasks', args: { tasks: ['Look'] } } },
    { call: { name: 'look_up', args: { key: 'x'.repeat(100) } } },
    { call: { name: 'look_up', args: {} } },
    { call: { name: 'run_command', args: { command: 'ls' }, requiresApproval: true } },
    { call: { name: 'request_input', args: { question: 'Sure?' } } },
    { call: { name: 'compact_context' } },
    done,
  ];
  const expected = [
    'agent_start',
    'agent_turn_start',
    'agent_error',
    'thought_delta',
    'agent_reason',
    'tool_start',
    'tasks_updated',
    'tool_complete',
    'agent_observe',
    'tool_error',
    'approval_requested',
    'agent_request_input',
    'agent_request_input_timeout',
    'context_compacted',
    'answer_delta',
    'agent_completion',
  ];
  const options: Partial<RunOptions> = {
    tools,
    compaction: { strategy: 'mask' },
    inputTimeoutMs: 5,
    onInputTimeout: 'continue',
    onInputRequest: () => new Promise(() => undefined),
    approve: async () => ({ type: 'allow' }),
  };

  test('react emits the event types of an answered run, with first occurrences in the expected order', async () => {
    const { types } = await finish(everything, options);
    expect([...new Set(types)]).toEqual(expected);
  });

  test('reason-act-observe emits the same event types as react, with first occurrences in the same order', async () => {
    const rounds = everything.flatMap((line): Script[] =>
      'error' in line ? [line] : line === done ? [reason, line] : [reason, line, observe],
    );
    const { types } = await finish(rounds, strict(options));
    expect([...new Set(types)]).toEqual(expected);
  });

  test('in both strategies, the last event of a run without an answer is agent_stopped', async () => {
    for (const strategy of ['react', 'reason-act-observe'] as const) {
      const { types } = await finish([{ error: 'upstream_refusal' }], { strategy });
      expect(types.slice(-2)).toEqual(['agent_error', 'agent_stopped']);
    }
  });
});
