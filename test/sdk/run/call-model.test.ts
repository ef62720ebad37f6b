import { describe, expect, test } from '@jest/globals';
import { randomId } from '../../../src/sdk/base/random-id.js';
import { StepwiseClient } from '../../../src/sdk/client/stepwise-client.js';
import { done, finish, llmConfig, lookUpCall, start, task } from '../../support/run-harness.js';
import type { Script } from '../../support/scripted-service.js';

const foreignStep = (fields: Record<string, unknown>): string =>
  JSON.stringify({
    status: 'direct_response_provided',
    iterations_remaining: 3,
    new_turns: [],
    additional_actions: [],
    ...fields,
  });
const proposed = (action_details: unknown) => ({ status: 'action_proposed', action_details });

describe('failures and retries of a run (rule: run-options)', () => {
  test('a run retries an unreachable service, then ends with a history that can be continued', async () => {
    const { run, service } = await start([lookUpCall(), { fault: 'hang-up' }], { retries: 1 });
    const events = [];
    for await (const event of run) {
      events.push(event);
      if (event.type === 'agent_error' && event.retryInMs !== null) expect(event.retryInMs).toBe(1_000);
    }
    const result = await run.result();
    expect(service.requests).toHaveLength(3);
    expect(result).toMatchObject({
      stopReason: 'error',
      error: { code: 'service_unreachable', retryable: true },
    });
    expect(result.history.at(-1)).toMatchObject({ role: 'tool_observation' });
    expect(events.map(({ type }) => type).slice(-3)).toEqual(['agent_error', 'agent_error', 'agent_stopped']);
  }, 15_000);

  const event = (data: unknown) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
  const stream = 'text/event-stream';
  const foreignBodies: [string, Script][] = [
    ['a 500 with an empty error', { foreign: '{"error": null}', status: 500 }],
    ["a proxy's own error", { foreign: '{"error": {"message": "no healthy upstream"}}', status: 503 }],
    ['a 400 in another shape', { foreign: '{"status": "error", "error": "bad"}', status: 400 }],
    ['a 200 with an empty object', { foreign: '{}', status: 200 }],
    ['a 200 with a page', { foreign: '<h1>Hello</h1>', status: 200, type: 'text/html' }],
    ['null', { foreign: 'null', status: 200 }],
    [
      'an action without a tool',
      {
        foreign:
          '{"status":"action_proposed","iterations_remaining":1,"new_turns":[],"additional_actions":[],"action_details":{}}',
        status: 200,
      },
    ],
  ];
  const step = (fields: Record<string, unknown>): Script => ({ foreign: foreignStep(fields), status: 200 });
  const action = { tool_name: 'look_up', tool_args: { key: 'x' }, id: 'call_9' };
  foreignBodies.push(
    ['a status of no contract', step({ status: 'pending' })],
    ['a turn that is null', step({ new_turns: [null] })],
    ['a turn without content', step({ new_turns: [{ role: 'assistant' }] })],
    ['a call without a name', step({ new_turns: [{ role: 'assistant', content: '', toolCall: {} }] })],
    ['a further action that is null', step({ ...proposed(action), additional_actions: [null] })],
    ['an action without an id', step(proposed({ ...action, id: undefined }))],
    ['an error that is null', step({ status: 'error', error: null })],
    ['a correction that is a text', step({ correction: 'Again.' })],
    ['an answer that is a number', step({ direct_response: 42 })],
    ['half an iteration', step({ iterations_remaining: 2.5 })],
  );
  const foreignStreams: [string, Script][] = [
    ['an event that is no JSON', { foreign: event('hello'), status: 200, type: stream }],
    ['an event without a type', { foreign: event({ delta: 'x' }), status: 200, type: stream }],
    [
      'a last event without a step',
      { foreign: event({ type: 'step.completed', step: {} }), status: 200, type: stream },
    ],
    [
      'an error that says nothing',
      { foreign: event({ type: 'error', error: null }), status: 200, type: stream },
    ],
  ];

  test.each([
    ...foreignBodies.flatMap(
      ([name, line]) =>
        [
          [name, line, true],
          [name, line, false],
        ] as [string, Script, boolean][],
    ),
    ...foreignStreams.map(([name, line]) => [name, line, true] as [string, Script, boolean]),
  ])('a run reports %s as invalid_answer and keeps its history (%j, stream: %j)', async (_, line, streamed) => {
    const { result } = await finish([lookUpCall(), line], { retries: 0, stream: streamed });
    expect(result).toMatchObject({ stopReason: 'error', error: { code: 'invalid_answer' } });
    expect(result.error?.message).toMatch(
      /^The server at http:\/\/127\.0\.0\.1:\d+ is not Stepwise \(HTTP \d{3}\): check the address\.$/,
    );
    expect(result.history.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool_observation']);
  });

  test.each([
    ['react', 4],
    ['reason-act-observe', 12],
  ] as const)('the strategy %s ends at maxSteps even if iterations_remaining never decreases (rule: iterations)', async (strategy, calls) => {
    const endless: Script = {
      foreign: foreignStep({ status: 'phase_completed', iterations_remaining: 9 }),
      status: 200,
    };
    const { result, service } = await finish([endless], { maxSteps: 4, strategy, stream: false });
    expect(result).toMatchObject({ stopReason: 'step_limit', terminationReason: 'STEP_LIMIT' });
    expect(service.requests).toHaveLength(calls);
  });

  test('the client skips events of unknown types (rule: stream-events)', async () => {
    const { service } = await start([done]);
    const step = await new StepwiseClient({ baseUrl: service.url }).step({
      project_id: randomId(),
      session_id: randomId(),
      user_query: 'x',
      conversation_history: [],
      llm_config: llmConfig,
      max_iterations_left: 1,
    });
    const newer = ['weather.changed', 'constructor', '__proto__'].map((type) => event({ type, delta: 'x' }));
    const foreign = newer.join('') + event({ type: 'step.completed', step });
    const { result, events } = await finish([{ foreign, status: 200, type: stream }]);
    expect(result).toMatchObject({ stopReason: 'answered', answer: 'It is 42.' });
    expect(events.map(({ type }) => typeof type)).toEqual(events.map(() => 'string'));
  });

  test.each([
    ['in seconds', '0', 0],
    ['as a date', 'Sun, 06 Nov 1994 08:49:37 GMT', 0],
    ['in no known form', 'soon', 1_000],
  ])('a run retries after a 429 page of a proxy with Retry-After %s', async (_, retryAfter, wait) => {
    const page = {
      foreign: '<h1>Slow down</h1>',
      status: 429,
      type: 'text/html',
      headers: { 'retry-after': retryAfter },
    };
    const { result, events } = await finish([page, done]);
    expect(events).toContainEqual(expect.objectContaining({ type: 'agent_error', retryInMs: wait }));
    expect(result.stopReason).toBe('answered');
  });

  test.each([
    0,
    -1,
    2.5,
    NaN,
    Infinity,
  ])('client.run rejects maxSteps %d, and NaN as a time limit (rule: run-options)', (maxSteps) => {
    const client = new StepwiseClient({ baseUrl: 'http://127.0.0.1:1' });
    expect(() => client.run(task, { llmConfig, maxSteps })).toThrow(
      `maxSteps must be a whole number from 1 to 2147483647, not ${maxSteps}.`,
    );
    expect(() => client.run(task, { llmConfig, toolTimeoutMs: NaN })).toThrow(
      'toolTimeoutMs must be a number of milliseconds',
    );
    expect(() => client.run(task, { llmConfig, inputTimeoutMs: NaN })).toThrow(
      'inputTimeoutMs must be a number of milliseconds',
    );
  });

  test('a run with retries: NaN does not retry (rule: run-options)', async () => {
    const { result, service } = await finish([{ error: 'overloaded', retryAfterMs: 1 }], { retries: NaN });
    expect(result).toMatchObject({ stopReason: 'error', error: { code: 'overloaded' } });
    expect(service.requests).toHaveLength(1);
  });

  test('a run retries twice by default (rule: run-options)', async () => {
    const { result, events, service } = await finish([{ error: 'overloaded', retryAfterMs: 1 }]);
    expect(events.flatMap((each) => (each.type === 'agent_error' ? [each.retryInMs] : []))).toEqual([
      1,
      1,
      null,
    ]);
    expect(service.requests).toHaveLength(3);
    expect(result).toMatchObject({ stopReason: 'error', error: { code: 'overloaded' } });
  });

  test('a run waits as long as the service asks for before it retries', async () => {
    const { result, events } = await finish([{ error: 'upstream_rate_limited', retryAfterMs: 30 }, done]);
    expect(events).toContainEqual(expect.objectContaining({ type: 'agent_error', retryInMs: 30 }));
    expect(result.stopReason).toBe('answered');
  });

  test('a run waits at most 60 seconds before a retry, even if the service asks for more', async () => {
    const { run } = await start([{ error: 'upstream_rate_limited', retryAfterMs: 3_600_000 }]);
    const waits: (number | null)[] = [];
    for await (const each of run) {
      if (each.type !== 'agent_error') continue;
      waits.push(each.retryInMs);
      run.stop();
    }
    expect(waits).toEqual([60_000]);
  });

  test.each([
    ['a refused request', { error: 'invalid_request' } as const, 'invalid_request', 1],
    ['a missing key', { error: 'missing_api_key' } as const, 'missing_api_key', 1],
    [
      'a failure inside the stream',
      { error: 'upstream_billing', inStream: true } as const,
      'upstream_billing',
      1,
    ],
    ['a stream that is cut', { fault: 'cut-stream' } as const, 'service_unreachable', 1],
    ["a proxy's page", { fault: 'html' } as const, 'invalid_answer', 1],
  ])('a run with retries: 0 ends after %s and keeps the task in the history', async (_, line, code, calls) => {
    const { result, service } = await finish([line], { retries: 0 });
    expect(result).toMatchObject({ stopReason: 'error', error: { code } });
    expect(service.requests).toHaveLength(calls);
    expect(result.history).toEqual([{ role: 'user', content: task }]);
  });
});
