import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import { defineTool, type ToolContext } from '../../../src/sdk/actions/define-tool.js';
import type { RunEvent } from '../../../src/sdk/run/run-events.js';
import { openCalls } from '../../../src/sdk/run/take-up-history.js';
import { done, finish, lookUpCall, start, task } from '../../support/run-harness.js';

describe('events of a run (rule: run-events)', () => {
  test('a run emits the events of an action, its observation and an answer in this order', async () => {
    const { types, result } = await finish([lookUpCall(), done]);
    expect(types).toEqual([
      'agent_start',
      'agent_turn_start',
      ...Array(3).fill('thought_delta'),
      'agent_reason',
      'tool_start',
      'tool_complete',
      'agent_observe',
      'agent_turn_start',
      ...Array(3).fill('answer_delta'),
      'agent_reason',
      'agent_completion',
    ]);
    expect(result).toMatchObject({ answer: 'It is 42.', stopReason: 'answered', terminationReason: null });
    expect(result.usage).toMatchObject({ input_tokens: 200, output_tokens: 20, reasoning_tokens: null });
    expect(result.history.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'tool_observation',
      'assistant',
    ]);
  });

  test('every event has the number of its step; agent_start has 0', async () => {
    const { events } = await finish([lookUpCall(), done]);
    expect(events[0]).toMatchObject({ type: 'agent_start', step: 0, task, model: 'scripted', maxSteps: 10 });
    expect(events.at(-1)?.step).toBe(2);
    expect(events.map(({ step }) => step)).toEqual(events.map(({ step }) => step).toSorted((a, b) => a - b));
  });

  test('a run waits while nobody reads, and stops when the reader leaves', async () => {
    const { service, run } = await start([lookUpCall(), done]);
    for await (const { type } of run) if (type === 'tool_start') break;
    expect(service.requests).toHaveLength(1);
    const result = await run.result();
    expect(result.stopReason).toBe('stopped');
    expect(openCalls(result.history)).toEqual([]);
  });

  test('a run with stream: false emits no deltas', async () => {
    const { types } = await finish([lookUpCall(), done], { stream: false });
    expect(types.filter((type) => type.endsWith('_delta'))).toEqual([]);
    expect(types.at(-1)).toBe('agent_completion');
  });
});

describe('output of a running tool (rule: run-events)', () => {
  const talking = defineTool({
    name: 'look_up',
    description: 'Says what it does.',
    inputSchema: { type: 'object', properties: {} },
    annotations: { readOnlyHint: true },
    execute: async (_, { onOutput }) => {
      onOutput?.('one ');
      onOutput?.('two ');
      await wait(1);
      onOutput?.('three');
      setTimeout(() => onOutput?.('too late'), 5);
      return 'It is done.';
    },
  });
  const call = { call: { name: 'look_up', args: {} } };
  const outputs = (events: readonly RunEvent[]) =>
    events.map((event) => (event.type === 'tool_output' ? event.delta : '')).join('');

  test('tool_output events come between start and end of the call and never reach the model', async () => {
    const { events, types, service } = await finish([call, done], { tools: [talking] });
    expect(outputs(events)).toBe('one two three');
    const last = types.lastIndexOf('tool_output');
    expect(types.slice(last - 1, last + 2)).toEqual(['tool_output', 'tool_output', 'tool_complete']);
    expect(JSON.stringify(service.requests.at(-1))).not.toContain('three');
  });

  test('a slow reader gets the end of the tool output, and the rest is not buffered', async () => {
    const endless = {
      ...talking,
      execute: async (_: unknown, { onOutput }: ToolContext) => {
        for (let line = 1; line <= 20_000; line += 1) onOutput?.(`line ${line}\n`);
      },
    };
    const { events } = await finish([call, done], { tools: [endless] });
    expect(outputs(events)).toMatch(/^line 1\n.*line 20000\n$/s);
    expect(outputs(events).length).toBeLessThan(17_000);
  });
});
