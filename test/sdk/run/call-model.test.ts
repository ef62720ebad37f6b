import { describe, expect, test } from '@jest/globals';
import { done, finish, lookUpCall, start, task } from '../../support/run-harness.js';

describe('trouble on the way (rule: run-options)', () => {
  test('a service that is gone is tried again, then the run ends with a history to go on from', async () => {
    const { run, service } = await start([lookUpCall(), { fault: 'hang-up' }], { retries: 1 });
    const events = [];
    for await (const event of run) {
      events.push(event);
      if (event.type === 'agent_error' && event.retry_in_ms !== null) expect(event.retry_in_ms).toBe(1_000);
    }
    const result = await run.result();
    expect(service.requests).toHaveLength(3);
    expect(result).toMatchObject({
      stop_reason: 'error',
      error: { code: 'service_unreachable', retryable: true },
    });
    expect(result.history.at(-1)).toMatchObject({ role: 'tool_observation' });
    expect(events.map(({ type }) => type).slice(-3)).toEqual(['agent_error', 'agent_error', 'agent_stopped']);
  }, 15_000);

  test('the wait that the service names is kept', async () => {
    const { result, events } = await finish([{ error: 'upstream_rate_limited', retryAfterMs: 30 }, done]);
    expect(events).toContainEqual(expect.objectContaining({ type: 'agent_error', retry_in_ms: 30 }));
    expect(result.stop_reason).toBe('answered');
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
  ])('%s ends the run', async (_, line, code, calls) => {
    const { result, service } = await finish([line], { retries: 0 });
    expect(result).toMatchObject({ stop_reason: 'error', error: { code } });
    expect(service.requests).toHaveLength(calls);
    expect(result.history).toEqual([{ role: 'user', content: task }]);
  });
});
