import { describe, expect, test } from '@jest/globals';
import { ProviderError, type ProviderFailure } from '../../../src/service/agent/provider.js';
import type { FaultName } from '../../../src/service/offline/wire/reply.js';
import {
  ask,
  connect,
  directoryAt,
  eventually,
  failureOf,
  fakeProvider,
  patienceOf,
  ways,
} from '../../support/providers/requests.js';

interface Row {
  readonly fault: FaultName;
  readonly failure: ProviderFailure;
  readonly status: number | null;
  /** Provider requests in all; 2 if a second one is allowed (rule: second-request). */
  readonly requests: number;
}

/** The rows of the error table that a provider causes (rule: error-table). */
const rows: readonly Row[] = [
  { fault: 'bad-request', failure: 'rejected', status: 400, requests: 1 },
  { fault: 'too-large', failure: 'rejected', status: 413, requests: 1 },
  { fault: 'context-overflow', failure: 'context_length', status: 400, requests: 1 },
  { fault: 'unauthorized', failure: 'authentication', status: 401, requests: 1 },
  { fault: 'echoed-key', failure: 'authentication', status: 401, requests: 1 },
  { fault: 'payment-required', failure: 'billing', status: 402, requests: 1 },
  { fault: 'quota-exhausted', failure: 'billing', status: 429, requests: 1 },
  { fault: 'forbidden', failure: 'permission', status: 403, requests: 1 },
  { fault: 'not-found', failure: 'model_not_found', status: 404, requests: 1 },
  { fault: 'request-timeout', failure: 'failed', status: 408, requests: 1 },
  { fault: 'conflict', failure: 'failed', status: 409, requests: 1 },
  { fault: 'rate-limited', failure: 'rate_limited', status: 429, requests: 2 },
  { fault: 'server-error', failure: 'failed', status: 500, requests: 2 },
  { fault: 'bad-gateway', failure: 'failed', status: 502, requests: 2 },
  { fault: 'html-502', failure: 'failed', status: 502, requests: 2 },
  { fault: 'unavailable', failure: 'overloaded', status: 503, requests: 2 },
  { fault: 'gateway-timeout', failure: 'failed', status: 504, requests: 2 },
  { fault: 'overloaded', failure: 'overloaded', status: 529, requests: 2 },
  { fault: 'redirect', failure: 'invalid_response', status: 307, requests: 1 },
  { fault: 'html', failure: 'invalid_response', status: 200, requests: 1 },
  { fault: 'empty', failure: 'invalid_response', status: 200, requests: 1 },
  { fault: 'null', failure: 'invalid_response', status: 200, requests: 1 },
  { fault: 'empty-object', failure: 'invalid_response', status: 200, requests: 1 },
  { fault: 'truncated-json', failure: 'invalid_response', status: 200, requests: 1 },
  { fault: 'wrong-content-type', failure: 'invalid_response', status: 200, requests: 1 },
  { fault: 'huge', failure: 'invalid_response', status: 200, requests: 1 },
  { fault: 'reset', failure: 'unreachable', status: null, requests: 1 },
  { fault: 'cut', failure: 'unreachable', status: null, requests: 1 },
];

describe.each(ways)('each fault has its row (rule: error-table): $title', (way) => {
  test.each(rows)('$fault is $failure', async ({ fault, failure, status, requests }) => {
    const fake = await fakeProvider({ fault, bytes: 100_000_000, retryAfter: '0' });
    const provider = connect(directoryAt(fake.url), way.model);
    const error = await failureOf(ask(provider, way));
    expect(error).toBeInstanceOf(ProviderError);
    expect(error).toMatchObject({ failure, provider: way.name, upstreamStatus: status });
    expect(fake.requests).toHaveLength(requests);
  });

  test.each([
    'slow-headers',
    'stalled-body',
    'drip',
    'silence',
  ] as const)('the deadline ends %s, and leaves no connection (rule: one-deadline)', async (fault) => {
    const fake = await fakeProvider({ fault, delayMs: 60_000, intervalMs: 50 });
    const deadline = patienceOf(300);
    const provider = connect(directoryAt(fake.url), way.model);
    const error = await failureOf(ask(provider, way, deadline));
    expect(error).toBe(deadline.signal.reason);
    expect(fake.requests).toHaveLength(1);
    await eventually(() => fake.openSockets() === 0);
  });
});

describe.each(
  ways.filter(({ streamed }) => streamed),
)('a stream that fails has its row (rule: error-table): $title', (way) => {
  test('an error in the middle of the stream is the failure it names', async () => {
    const fake = await fakeProvider({ fault: 'error-event' });
    const error = await failureOf(ask(connect(directoryAt(fake.url), way.model), way));
    expect(error).toMatchObject({ failure: 'overloaded', upstreamStatus: 200 });
    expect(fake.requests).toHaveLength(1);
  });
});

test('no choices at all are no answer', async () => {
  const fake = await fakeProvider({ fault: 'empty-choices' });
  for (const way of ways.slice(0, 2)) {
    const error = await failureOf(ask(connect(directoryAt(fake.url), way.model), way));
    expect(error).toMatchObject({ failure: 'invalid_response' });
  }
});

test('an empty list of blocks is an empty completion', async () => {
  const fake = await fakeProvider({ fault: 'empty-choices' });
  for (const way of ways.slice(2)) {
    const completion = await ask(connect(directoryAt(fake.url), way.model), way);
    expect(completion).toMatchObject({ text: '', toolCalls: [], finishReason: 'stop' });
  }
});

test('an error body in a 200 is no answer', async () => {
  const fake = await fakeProvider({ fault: 'error-event' });
  for (const way of ways.filter(({ streamed }) => !streamed)) {
    const error = await failureOf(ask(connect(directoryAt(fake.url), way.model), way));
    expect(error).toMatchObject({ failure: 'invalid_response' });
  }
});
