import { describe, expect, jest, test } from '@jest/globals';
import type { EndedRequest } from '../../../../src/service/operations/metrics/request-metrics.js';
import { ServiceMetrics } from '../../../../src/service/operations/metrics/service-metrics.js';
import type { StepResult } from '../../../../src/service/step/react-step.js';

const state = {
  version: '1.2.3',
  inFlight: {
    count: 3,
    max: 10,
    bytes: 5,
    maxBytes: 50,
    refused: { in_flight: 4, bytes_in_flight: 0, event_loop: 5 },
  },
  lagMs: () => 30,
  maxLagMs: 400,
  refusedConnections: { malformed: 7 },
  droppedLines: () => 6,
  redis: { isUp: false, outages: 2 },
};

const ended: EndedRequest = {
  method: 'GET',
  route: '/healthz',
  status: 200,
  outcome: 'ok',
  limit: undefined,
  upstream: undefined,
  usage: undefined,
  durationMs: 2,
};

test('requests are counted by their labels and by their duration (rule: metrics)', async () => {
  const metrics = new ServiceMetrics(state);
  for (let request = 0; request < 111; request += 1) metrics.requestEnded(ended);
  const { text } = await metrics.read();
  expect(text).toContain(
    'stepwise_http_requests_total{route="/healthz",method="GET",status="200",outcome="ok"} 111\n',
  );
  expect(text).toContain('stepwise_http_request_duration_seconds_bucket{le="0.001",route="/healthz"} 0\n');
  expect(text).toContain('stepwise_http_request_duration_seconds_bucket{le="0.0025",route="/healthz"} 111\n');
});

test('the duration of a step is measured when it ends, not when metrics are scraped', async () => {
  const metrics = new ServiceMetrics(state);
  const now = jest.spyOn(performance, 'now').mockReturnValue(1_000);
  const step = metrics.timed(async () => {
    now.mockReturnValue(1_250);
    return { status: 'action_proposed' } as StepResult; // cast: only the status is read
  });
  await step({} as Parameters<typeof step>[0], {} as Parameters<typeof step>[1]);
  now.mockReturnValue(90_000);
  const { text } = await metrics.read();
  now.mockRestore();
  expect(text).toContain('stepwise_step_duration_seconds_sum{status="action_proposed"} 0.25\n');
});

test('two services in one process have separate counters and shared process metrics', async () => {
  const [one, two] = [new ServiceMetrics(state), new ServiceMetrics(state)];
  one.requestEnded(ended);
  const [first, second] = await Promise.all([one.read(), two.read()]);
  expect([first, second].map(({ text }) => text.includes('route="/healthz"'))).toEqual([true, false]);
  expect([first, second].map(({ text }) => text.includes('\nprocess_cpu_seconds_total '))).toEqual([
    true,
    true,
  ]);
});

test('values that other parts of the service keep are read when metrics are scraped', async () => {
  const inFlight = { ...state.inFlight };
  const metrics = new ServiceMetrics({ ...state, inFlight });
  await metrics.read();
  inFlight.count = 7;
  const { text } = await metrics.read();
  const samples = [
    'stepwise_requests_in_flight 7',
    'stepwise_requests_in_flight_max 10',
    'stepwise_overload_refusals_total{cause="in_flight"} 4',
    'stepwise_overload_refusals_total{cause="event_loop"} 5',
    'stepwise_event_loop_lag_seconds 0.03',
    'stepwise_log_lines_dropped_total 6',
    'stepwise_redis_up 0',
    'stepwise_redis_outages_total 2',
  ];
  expect(samples.filter((sample) => !text.includes(`\n${sample}\n`))).toEqual([]);
});

describe('upstream metrics (rule: metrics)', () => {
  const request = { provider: 'openai', streamed: true, origin: 'https://api.openai.com' };

  test('every configured upstream has its time series before its first request', async () => {
    const metrics = new ServiceMetrics(state);
    for (const name of ['openai', 'local']) metrics.upstreams.begin(name);
    const { text } = await metrics.read();
    expect(text).toContain(
      'stepwise_upstream_request_duration_seconds_count{upstream="local",outcome="ok"} 0\n',
    );
    expect(text).toContain('stepwise_upstream_requests_in_flight{upstream="local"} 0\n');
    expect(text).toContain('stepwise_model_input_tokens_total{upstream="local"} 0\n');
  });

  test.each([
    [200, null, 'ok'],
    [400, null, 'rejected'],
    [429, null, 'rate_limited'],
    [500, null, 'failed'],
    [503, null, 'overloaded'],
    [529, null, 'overloaded'],
    [599, null, 'failed'],
    [302, null, 'failed'],
    [null, 'unreachable', 'unreachable'],
    [200, 'deadline', 'deadline'],
    [null, 'caller_left', 'caller_left'],
  ] as const)('an upstream response with status %s and failure %s is counted as %s', async (status, failure, outcome) => {
    const metrics = new ServiceMetrics(state);
    metrics.upstreams.observe(request).ended({ status, failure });
    const { text } = await metrics.read();
    expect(text).toContain(
      `stepwise_upstream_request_duration_seconds_count{upstream="openai",outcome="${outcome}"} 1\n`,
    );
  });

  test('the time to the first byte is counted only for streamed replies', async () => {
    const metrics = new ServiceMetrics(state);
    for (const [streamed, status] of [
      [true, 200],
      [true, 500],
      [false, 200],
    ] as const) {
      const observed = metrics.upstreams.observe({ ...request, streamed });
      observed.begun?.();
      observed.ended({ status, failure: null });
    }
    metrics.upstreams.observe(request).ended({ status: null, failure: 'deadline' });
    const { text } = await metrics.read();
    expect(text).toContain('stepwise_upstream_first_byte_seconds_count{upstream="openai"} 1\n');
  });
});

test('a service without Redis has no Redis metrics', async () => {
  const { text } = await new ServiceMetrics({ ...state, redis: undefined }).read();
  expect(text).not.toContain('redis');
});
