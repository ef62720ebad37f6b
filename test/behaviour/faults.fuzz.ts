import { beforeAll, describe, expect, test } from '@jest/globals';
import type { ErrorCode } from '../../src/contract/error-codes.js';
import { faultNames } from '../../src/offline/faults/faults.js';
import type { FaultName } from '../../src/offline/wire/reply.js';
import { runFaultTrials, type TrialOutcome, type Trials, type Way } from '../support/fault-trials.js';

/** Number of trials of each fault. `FAULT_RUNS=200` is the goal, and takes a quarter of an hour on two cores. */
const runs = Number(process.env['FAULT_RUNS'] ?? 20);
const deadlineMs = 600;

type Outcome = ErrorCode | 'ok';
type Expected = Outcome | ((way: Way) => Outcome);

/** Expected error codes by fault (rule: error-table). */
const expected: Record<FaultName, Expected> = {
  'bad-request': 'upstream_rejected_request',
  'context-overflow': 'upstream_context_length_exceeded',
  unauthorized: 'upstream_authentication_failed',
  'echoed-key': 'upstream_authentication_failed',
  'payment-required': 'upstream_billing',
  'quota-exhausted': 'upstream_billing',
  forbidden: 'upstream_permission_denied',
  'not-found': 'upstream_model_not_found',
  'request-timeout': 'upstream_error',
  conflict: 'upstream_error',
  'too-large': 'upstream_rejected_request',
  'rate-limited': 'upstream_rate_limited',
  'server-error': 'upstream_error',
  'bad-gateway': 'upstream_error',
  'html-502': 'upstream_error',
  'gateway-timeout': 'upstream_error',
  unavailable: 'upstream_overloaded',
  overloaded: 'upstream_overloaded',
  'unsupported-parameter': 'ok',
  'slow-headers': 'upstream_timeout',
  'stalled-body': 'upstream_timeout',
  drip: 'upstream_timeout',
  silence: 'upstream_timeout',
  cut: 'upstream_unreachable',
  reset: 'upstream_unreachable',
  html: 'upstream_invalid_response',
  empty: 'upstream_invalid_response',
  null: 'upstream_invalid_response',
  'empty-object': 'upstream_invalid_response',
  'empty-choices': ({ vendor }) => (vendor === 'openai' ? 'upstream_invalid_response' : 'empty_response'),
  'truncated-json': 'upstream_invalid_response',
  'wrong-content-type': 'upstream_invalid_response',
  // The service cuts the stream off at the maximum length of a reply.
  huge: ({ streamed }) => (streamed ? 'ok' : 'upstream_invalid_response'),
  redirect: 'upstream_invalid_response',
  'error-event': 'upstream_overloaded',
  // The deadline of these trials is shorter than the time the service waits for the end of a finished stream.
  'no-end': ({ streamed }) => (streamed ? 'upstream_timeout' : 'ok'),
};

const expectedOf = (way: Way): Outcome => {
  const outcome = expected[way.fault];
  return typeof outcome === 'function' ? outcome(way) : outcome;
};

describe.each([
  ['without huge replies', { faults: faultNames.filter((name) => name !== 'huge'), runs, atOnce: 8 }, 0.03],
  // In each of these trials the service, the provider and the reader together keep one core busy until the deadline.
  ['only huge replies', { faults: ['huge'] as const, runs: Math.min(runs, 10), atOnce: 1 }, 0.25],
])('all faults of both vendors, plain and streamed: %s', (_what, options, lateShare) => {
  let trials: Trials;
  beforeAll(async () => {
    trials = await runFaultTrials({ ...options, deadlineMs });
    const machine = `/healthz beside them: p95 ${trials.machineMs.toFixed(1)} ms`;
    process.stdout.write(`${trials.outcomes.length} requests, ${lateOnes().length} late; ${machine}\n`);
  }, 1_800_000);

  const lateOnes = (): TrialOutcome[] =>
    trials.outcomes.filter(({ overMs }) => overMs > 250 + 10 * trials.machineMs);

  test('requests to a failing provider are answered within the deadline plus 250 ms, unless the machine is busy', () => {
    expect(lateOnes().length).toBeLessThanOrEqual(trials.outcomes.length * lateShare);
  });

  test('no fault of a provider causes more than two requests to it', () => {
    expect(trials.outcomes.filter(({ providerRequests }) => providerRequests > 2)).toEqual([]);
  });

  test('no provider request is open one second after the response', () => {
    expect(trials.outcomes.filter(({ left }) => left > 0)).toEqual([]);
  });

  test('the service exits after all faults and leaves no connection open', () => {
    expect([trials.exitCode, trials.socketsAtTheEnd]).toEqual([0, 0]);
  });

  test('every failure returns the fixed message of its code, a bounded retry time and the unchanged history', () => {
    expect(trials.outcomes.filter(({ problem }) => problem !== null)).toEqual([]);
  });

  test('every fault returns the code of its row in the error table, or upstream_timeout on a busy machine (rule: error-table)', () => {
    const others = trials.outcomes.filter((outcome) => outcome.code !== expectedOf(outcome));
    expect(others.filter(({ code }) => code !== 'upstream_timeout')).toEqual([]);
    const small = others.filter(({ fault }) => fault !== 'huge');
    // If ten responses of `/healthz` take as long as the deadline, the machine is so busy that any request may be late.
    const share = 10 * trials.machineMs > deadlineMs ? 1 : 1 / 50;
    expect(small.length).toBeLessThanOrEqual(trials.outcomes.length * share);
  });
});
