import { describe, expect, test } from '@jest/globals';
import type { RunOptions } from '../../../src/sdk/run/run-options.js';
import { done, finish, lookUp, recordingTool } from '../../support/run-harness.js';
import type { Script } from '../../support/scripted-service.js';

const strict = (options: Partial<RunOptions> = {}): Partial<RunOptions> => ({
  strategy: 'reason-act-observe',
  ...options,
});
const reason: Script = { thought: 'I need the price.', control: { plan: 'look', finish: false } };
const act: Script = { thought: 'Now.', call: { name: 'look_up', args: { key: 'price' } } };
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
    expect(result).toMatchObject({ stop_reason: 'answered', answer: 'It is 42.' });
    expect(result.steps).toHaveLength(2);
  });

  test('the phase observe emits agent_observe with its response, never agent_reason (rule: run-events)', async () => {
    const { events } = await finish([reason, act, observe, reason, act, done], strict({ maxSteps: 2 }));
    const said = events.filter(({ type }) => type === 'agent_reason');
    expect(said.map((event) => 'response' in event && event.response?.phase)).toEqual([
      ...['reason', 'act'],
      ...['reason', 'act'],
    ]);
    const observed = events.filter((event) => event.type === 'agent_observe');
    expect(
      observed.map(({ thought, observations, response }) => [thought, observations.length, response?.phase]),
    ).toEqual([
      [null, 1, undefined],
      ['It is 42.', 0, 'observe'],
      [null, 1, undefined],
      [null, 0, 'observe'],
    ]);
  });

  test('finish: true in reason skips act and makes observe answer', async () => {
    const { service, result } = await finish(
      [{ thought: 'Clear.', control: { finish: true } }, done],
      strict(),
    );
    expect(service.requests.map(({ phase }) => phase)).toEqual(['reason', 'observe']);
    expect(service.requests[1]?.max_iterations_left).toBe(1);
    expect(result.stop_reason).toBe('answered');
  });

  test('a text without an action in act continues with observe', async () => {
    const { service } = await finish([reason, { thought: 'Nothing to do.', control: {} }, done], strict());
    expect(service.requests.map(({ phase }) => phase)).toEqual(['reason', 'act', 'observe']);
  });

  test('maxSteps counts whole rounds in reason-act-observe', async () => {
    const { result, service } = await finish([reason, act, observe], strict({ maxSteps: 1 }));
    expect(service.requests).toHaveLength(3);
    expect(result.stop_reason).toBe('step_limit');
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

  test('agent_stopped ends a run without an answer in both strategies', async () => {
    for (const strategy of ['react', 'reason-act-observe'] as const) {
      const { types } = await finish([{ error: 'upstream_refusal' }], { strategy });
      expect(types.slice(-2)).toEqual(['agent_error', 'agent_stopped']);
    }
  });
});
