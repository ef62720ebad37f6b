import { describe, expect, test } from '@jest/globals';
import { stepRequestSchema } from '../../../src/contract/step-request.js';
import { StepwiseClient } from '../../../src/sdk/client/stepwise-client.js';
import { done, finish, lookUpCall } from '../../support/run-harness.js';
import type { Script } from '../../support/scripted-service.js';

const call = (name: string, args: Record<string, unknown> = {}): Script => ({ call: { name, args } });
const ask = call('request_input', { question: 'Which shop?', choices: ['A', 'B'] });

describe('the TODO list of a run (rule: client-tools)', () => {
  const twoTasks = call('create_tasks', { tasks: ['Read the code', ' Fix it '] });

  test('the model creates and updates tasks, and every request contains them', async () => {
    const { service, events, result } = await finish([
      twoTasks,
      call('update_task_status', { id: 1, status: 'in_progress' }),
      call('get_tasks'),
      done,
    ]);
    expect(service.requests.at(-1)?.tasks).toEqual([
      { id: 1, content: 'Read the code', status: 'in_progress' },
      { id: 2, content: 'Fix it', status: 'todo' },
    ]);
    expect(events.filter(({ type }) => type === 'tasks_updated')).toHaveLength(2);
    expect(result.history.at(-2)?.content).toBe('[-] 1. Read the code\n[ ] 2. Fix it');
    expect(result.steps[0]?.tasks).toHaveLength(2);
  });

  test('once all tasks are completed, the next step requires an answer', async () => {
    const { service, result } = await finish([
      call('create_tasks', { tasks: ['Look'] }),
      call('update_task_status', { id: 1, status: 'completed' }),
      { answer: 'Found.', outcome: 'action_after_limit' },
    ]);
    expect(service.requests.map(({ max_iterations_left }) => max_iterations_left)).toEqual([10, 9, 1]);
    expect(result).toMatchObject({ stopReason: 'answered', answer: 'Found.' });
  });

  test('create_tasks replaces the TODO list, so completing the new list ends the work', async () => {
    const { service, result } = await finish([
      twoTasks,
      call('create_tasks', { tasks: [{ content: 'Look', status: 'in_progress' }, 'Tell', { content: ' ' }] }),
      call('update_task_status', { id: 1, status: 'completed' }),
      call('update_task_status', { id: 2, status: 'completed' }),
      done,
    ]);
    expect(service.requests[2]?.tasks).toEqual([
      { id: 1, content: 'Look', status: 'in_progress' },
      { id: 2, content: 'Tell', status: 'todo' },
    ]);
    expect(service.requests.at(-1)?.max_iterations_left).toBe(1);
    expect(result).toMatchObject({ stopReason: 'answered', answer: 'It is 42.' });
  });

  test('create_tasks accepts as many tasks as the service does and returns an error to the model for more', async () => {
    const long = (length: number) => call('create_tasks', { tasks: Array(length).fill('Look') });
    const { service, result } = await finish([long(1_001), long(1_000), done]);
    expect(result.history[2]).toMatchObject({
      content: 'Give at most 1000 tasks; these are 1001.',
      toolResult: { success: false },
    });
    expect(service.requests[2]?.tasks).toHaveLength(1_000);
    expect(
      stepRequestSchema.shape.tasks.safeParse(Array(1_001).fill(service.requests[2]?.tasks?.[0])).success,
    ).toBe(false);
    expect(result.stopReason).toBe('answered');
  });

  test('a TODO list that an earlier run completed does not make the model answer in the first step', async () => {
    const { service } = await finish([lookUpCall(), done], {
      tasks: [{ id: 1, content: 'Old', status: 'completed' }],
    });
    expect(service.requests[0]?.max_iterations_left).toBe(10);
  });

  test.each([
    ['update_task_status', { id: 9, status: 'todo' }, 'There is no task 9.'],
    ['update_task_status', { id: 1, status: 'done' }, 'must be one of ["todo","in_progress","completed"]'],
    ['create_tasks', { tasks: [' '] }, 'Give at least one task.'],
    ['create_tasks', { tasks: [1] }, 'A task is a text, or { content, status? }'],
    ['create_tasks', { tasks: [{ content: 'x', status: 'done' }] }, 'status todo, in_progress, completed'],
    ['create_tasks', { tasks: [{ status: 'todo' }] }, 'A task is a text'],
    ['create_tasks', { tasks: [null] }, 'A task is a text'],
  ])('the invalid call %s(%j) returns an error to the model', async (name, args, message) => {
    const { result } = await finish([call(name, args), done]);
    expect(result.history[2]?.content).toContain(message);
  });
});

describe('request_input (rule: client-tools)', () => {
  test('request_input pauses the run until the person answers; the answer is the observation', async () => {
    const { types, result, events } = await finish([ask, done], { onInputRequest: async () => 'Shop B' });
    expect(types).toContain('agent_request_input');
    expect(events.find(({ type }) => type === 'agent_request_input')).toMatchObject({
      question: 'Which shop?',
      choices: ['A', 'B'],
      timeoutMs: 300_000,
    });
    expect(result.history[2]).toMatchObject({ content: 'Shop B', toolResult: { success: true } });
  });

  const hesitate = (onAbort: () => void) => (_: unknown, signal: AbortSignal) =>
    new Promise<string>(() => signal.addEventListener('abort', onAbort));

  test('a question that times out ends the run, and the next task is taken as its answer', async () => {
    let withdrawn = false;
    const { types, result, service } = await finish([ask, done], {
      inputTimeoutMs: 20,
      onInputRequest: hesitate(() => (withdrawn = true)),
    });
    expect(types.slice(-2)).toEqual(['agent_observe', 'agent_stopped']);
    expect(types).toContain('agent_request_input_timeout');
    expect(result).toMatchObject({ stopReason: 'needs_input', inputRequest: { question: 'Which shop?' } });
    expect(withdrawn).toBe(true);
    const client = new StepwiseClient({ baseUrl: service.url });
    const next = client.run('Shop A', { llmConfig: { modelName: 'scripted' }, history: result.history });
    expect((await next.result()).history[2]).toMatchObject({ content: 'Shop A', toolCallId: 'call_1' });
  });

  test('onInputTimeout: continue cancels an unanswered question and continues the run', async () => {
    let withdrawn = false;
    const { types, result } = await finish([ask, done], {
      inputTimeoutMs: 20,
      onInputTimeout: 'continue',
      onInputRequest: hesitate(() => (withdrawn = true)),
    });
    expect(types).toContain('agent_request_input_timeout');
    expect(result.history[2]).toMatchObject({ toolResult: { success: false } });
    expect(result.stopReason).toBe('answered');
    expect(withdrawn).toBe(true);
  });

  test('without onInputRequest, a question ends the run, and the next task is taken as its answer', async () => {
    const first = await finish([ask]);
    expect(first.result).toMatchObject({
      stopReason: 'needs_input',
      inputRequest: { question: 'Which shop?' },
    });
    expect(first.types.at(-1)).toBe('agent_stopped');
    const { service } = first;
    const client = new StepwiseClient({ baseUrl: service.url });
    const run = client.run('Shop A', { llmConfig: { modelName: 'scripted' }, history: first.result.history });
    await run.result();
    expect(service.requests[1]).toMatchObject({ user_query: '' });
    expect(service.requests[1]?.conversation_history.at(-1)).toMatchObject({
      content: 'Shop A',
      toolCallId: 'call_1',
    });
  });
});

describe('compaction of a run’s history (rule: client-tools)', () => {
  const long = [lookUpCall('x'.repeat(200)), call('compact_context'), done];
  const compaction = { strategy: 'mask', targetTokens: 500 } as const;

  test('compact_context shortens the history before the next step', async () => {
    const { events, service, result } = await finish(long, { compaction });
    expect(events.find(({ type }) => type === 'context_compacted')).toBeDefined();
    expect(service.compactions[0]).toMatchObject({ target_tokens: 500, strategy: 'mask' });
    expect(service.requests[2]?.conversation_history[2]?.content).toBe('(masked)');
    expect(result.stopReason).toBe('answered');
  });

  test('compact_context is not offered without a compaction policy', async () => {
    const { service } = await finish([done]);
    expect(service.requests[0]?.tools?.map(({ name }) => name)).not.toContain('compact_context');
  });

  test('should_compact starts a compaction to a quarter of the budget by default', async () => {
    const { service } = await finish(
      [{ ...lookUpCall('x'.repeat(200)), shouldCompact: true } as Script, done],
      {
        compaction: { strategy: 'summarize' },
      },
    );
    expect(service.compactions).toEqual([
      expect.objectContaining({ target_tokens: 1_750, strategy: 'summarize' }),
    ]);
  });

  test('compactions that the service suggests are at least three steps apart', async () => {
    const busy = { ...lookUpCall('x'.repeat(200)), shouldCompact: true } as Script;
    const { events } = await finish([busy], { compaction: { strategy: 'mask' }, maxSteps: 8 });
    const steps = events.flatMap(({ type, step }) => (type === 'context_compacted' ? [step] : []));
    expect(steps).toEqual([2, 5, 8]);
  });
});
