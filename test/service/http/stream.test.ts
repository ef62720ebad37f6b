import { request as httpRequest, type IncomingMessage } from 'node:http';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { StepRefused } from '../../../src/service/step/interruption.js';
import { ProviderError } from '../../../src/service/step/provider.js';
import type { reactStep, StepObserver } from '../../../src/service/step/react-step.js';
import { assertIsComponent } from '../../support/contract-check.js';
import { readEvents } from '../../support/read-events.js';
import {
  answered,
  startTestService,
  stepBody,
  stepPath,
  streamPath,
  type TestService,
} from '../../support/test-service.js';
import { until, untilUnchanged } from '../../support/until.js';

let service: TestService | undefined;
afterEach(() => service?.close());

const report = answered.context_report;
if (!report) throw new Error('the fixture has a report');

/** Functions that fake timers do not replace: all except `setInterval`, which only the heartbeat uses. */
const timersOfNode = [
  'Date',
  'clearImmediate',
  'clearTimeout',
  'hrtime',
  'nextTick',
  'performance',
  'queueMicrotask',
  'setImmediate',
  'setTimeout',
] as const;

/** Starts a service whose step calls the given function with its observer. */
async function serviceThat(
  tell: (observer: StepObserver, signal: AbortSignal) => Promise<unknown> | undefined,
) {
  const step: typeof reactStep = async (_request, { deadline }, observer) => {
    if (observer) await tell(observer, deadline.signal);
    return answered;
  };
  service = await startTestService({ step });
  return service;
}

async function streamed(changes: Record<string, unknown> = {}) {
  const answer = await service?.call('POST', streamPath, { body: stepBody(changes) });
  if (!answer) throw new Error('no service');
  return { ...answer, events: readEvents(String(answer.body)) };
}

describe('a stream of events (rule: one-end)', () => {
  test('a stream begins with step.started and ends with exactly one final event', async () => {
    await serviceThat(async (observer) => {
      await observer.contextBuilt(report);
      await observer.delta('reasoning', 'hm');
      await observer.delta('draft', 'I');
      await observer.delta('thought', 'I think\nso');
      await observer.delta('answer', '42');
    });
    const { events, status } = await streamed();
    expect(status).toBe(200);
    expect(events.map(({ event }) => event)).toEqual([
      'step.started',
      'context.built',
      'reasoning.delta',
      'draft.delta',
      'thought.delta',
      'answer.delta',
      'step.completed',
    ]);
    for (const { event, data } of events) expect(data.type).toBe(event);
    expect(events[4]?.data.delta).toBe('I think\nso');
  });

  test('the step in the last event equals the plain response', async () => {
    await serviceThat((observer) => observer.contextBuilt(report));
    const plain = await service?.call('POST', stepPath, {
      body: stepBody(),
      headers: { 'X-Request-Id': 'same' },
    });
    const { body } = (await service?.call('POST', streamPath, {
      body: stepBody(),
      headers: { 'X-Request-Id': 'same' },
    })) ?? { body: '' };
    const last = readEvents(body).at(-1);
    expect(last?.data.step).toEqual(plain?.body);
    assertIsComponent('Step', last?.data.step);
  });

  test('a proposed action is sent as an event', async () => {
    const action = {
      tool_name: 'f',
      tool_args: { a: 1 },
      raw_action_string: 'Action: f(a=1)',
      id: 'call_1',
      requires_approval: false,
    };
    await serviceThat((observer) => observer.actionProposed(action));
    const { events } = await streamed();
    expect(events.find(({ event }) => event === 'action.proposed')?.data.action).toEqual(action);
  });

  test('the headers of a stream prevent caching and buffering by proxies', async () => {
    await serviceThat((observer) => observer.contextBuilt(report));
    const { headers } = await streamed();
    expect(headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
  });

  test('the report in a stream has the level of detail that the request asks for', async () => {
    await serviceThat((observer) => observer.contextBuilt(report));
    const { events } = await streamed({ include: { report: 'full' } });
    expect(events[1]?.data.report.items).toHaveLength(2);
  });

  test('a failure before the first event is answered as an ordinary HTTP error', async () => {
    await serviceThat(async () => {
      throw new StepRefused('token_budget_exceeded');
    });
    const { status, body } = await streamed();
    expect([status, body.error.code]).toEqual([422, 'token_budget_exceeded']);
    expect((await streamed({ user_query: 1 })).status).toBe(400);
  });

  test('a failure after the first event is sent as the only final event, with the failure body', async () => {
    await serviceThat(async (observer) => {
      await observer.contextBuilt(report);
      throw new ProviderError('overloaded', { provider: 'test', upstreamStatus: 529 });
    });
    const { status, events } = await streamed();
    expect(status).toBe(200);
    expect(events.map(({ event }) => event)).toEqual(['step.started', 'context.built', 'error']);
    const body = events.at(-1)?.data.error;
    assertIsComponent('ErrorResponse', body);
    expect(body.error).toMatchObject({ code: 'upstream_overloaded', upstream_status: 529 });
    expect(service?.log.at(-1)).toMatchObject({ status: 200, outcome: 'upstream_overloaded' });
  });

  test('a stream sends a comment every 15 s, so that proxies keep it open (rule: heartbeat)', async () => {
    jest.useFakeTimers({ doNotFake: [...timersOfNode] });
    await serviceThat(async (observer, signal) => {
      await observer.contextBuilt(report);
      await new Promise((aborted) => signal.addEventListener('abort', aborted));
    });
    const response = await openStream();
    let text = '';
    response.on('data', (bytes) => {
      text += bytes;
    });
    await until(
      () => text,
      (text) => text.includes('context.built'),
    );
    jest.advanceTimersByTime(30_000);
    jest.useRealTimers();
    await until(() => text.match(/^: /gm)?.length === 2);
    expect(readEvents(text).map(({ event }) => event)).toEqual(['step.started', 'context.built']);
    response.destroy();
  });

  test('a stream whose caller left before its first event keeps no timer (rule: heartbeat)', async () => {
    jest.useFakeTimers({ doNotFake: [...timersOfNode] });
    let isBegun = false;
    await serviceThat(async (observer, signal) => {
      isBegun = true;
      await new Promise((aborted) => signal.addEventListener('abort', aborted));
      await observer.contextBuilt(report);
      throw signal.reason;
    });
    const leaving = new AbortController();
    const call = service?.call('POST', streamPath, { body: stepBody(), signal: leaving.signal });
    await until(() => isBegun);
    leaving.abort();
    await expect(call).rejects.toThrow();
    await until(() => service?.log.at(-1)?.['status'] === 499);
    const timers = jest.getTimerCount();
    jest.useRealTimers();
    expect(timers).toBe(0);
  });

  test('a stream without context still begins with step.started', async () => {
    await serviceThat(async () => {});
    const { events } = await streamed();
    expect(events.map(({ event }) => event)).toEqual(['step.started', 'step.completed']);
  });
});

describe('slow readers of a stream (rule: slow-reader)', () => {
  test('a slow reader slows the step instead of filling memory', async () => {
    const chunk = 'x'.repeat(64 * 1024);
    let sent = 0;
    await serviceThat(async (observer, signal) => {
      while (sent < 1_000 && !signal.aborted) {
        await observer.delta('answer', chunk);
        sent += 1;
      }
    });
    const response = await openStream();
    response.pause();
    const seen = await untilUnchanged(() => sent);
    expect(seen).toBeLessThan(1_000);
    response.destroy();
  });

  test('a reader that disconnects ends the step', async () => {
    let left: unknown;
    await serviceThat(async (observer, signal) => {
      await observer.contextBuilt(report);
      await new Promise((aborted) => signal.addEventListener('abort', aborted));
      left = signal.reason;
      throw left;
    });
    (await openStream()).destroy();
    await until(() => left !== undefined);
    expect(left).toMatchObject({ reason: 'caller_left' });
    await until(() => service?.log.at(-1)?.['status'] === 499);
    expect(service?.inFlight.count).toBe(0);
  });
});

/** Opens a stream that the test reads itself. */
function openStream(): Promise<IncomingMessage> {
  return new Promise((resolve) => {
    const request = httpRequest(`${service?.url}${streamPath}`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
    });
    request.on('response', (response) => resolve(response.on('error', () => {})));
    request.on('error', () => {});
    request.end(JSON.stringify(stepBody()));
  });
}
