import { expect, test } from '@jest/globals';
import type { EndedRequest } from '../../../src/service/metrics/request-metrics.js';
import { ServiceMetrics } from '../../../src/service/metrics/service-metrics.js';

const state = {
  version: '1.2.3',
  inFlight: { count: 3, max: 10, refused: { in_flight: 4, event_loop: 5 } },
  lagMs: () => 30,
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

test('what ends before the library is loaded is counted once it is (rule: metrics)', async () => {
  const metrics = new ServiceMetrics(state);
  for (let request = 0; request < 100; request += 1) metrics.requestEnded(ended);
  await metrics.load();
  for (let request = 0; request < 11; request += 1) metrics.requestEnded(ended);
  const { text } = await metrics.read();
  expect(text).toContain(
    'stepwise_http_requests_total{route="/healthz",method="GET",status="200",outcome="ok"} 111\n',
  );
  expect(text).toContain('stepwise_http_request_duration_seconds_bucket{le="0.001",route="/healthz"} 0\n');
  expect(text).toContain('stepwise_http_request_duration_seconds_bucket{le="0.0025",route="/healthz"} 111\n');
});

test('two services of one process count by themselves, and both tell of the process', async () => {
  const [one, two] = [new ServiceMetrics(state), new ServiceMetrics(state)];
  one.requestEnded(ended);
  const [first, second] = await Promise.all([one.read(), two.read()]);
  expect([first, second].map(({ text }) => text.includes('route="/healthz"'))).toEqual([true, false]);
  expect([first, second].map(({ text }) => text.includes('\nprocess_cpu_seconds_total '))).toEqual([
    true,
    true,
  ]);
});

test('what is kept elsewhere is read when it is asked for', async () => {
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

test('a service without Redis says nothing of it', async () => {
  const { text } = await new ServiceMetrics({ ...state, redis: undefined }).read();
  expect(text).not.toContain('redis');
});
