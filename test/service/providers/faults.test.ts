import { createServer } from 'node:http';
import { createServer as createSocketServer } from 'node:net';
import { describe, expect, test } from '@jest/globals';
import type { FaultName } from '../../../src/offline/wire/reply.js';
import { ProviderError, type ProviderFailure } from '../../../src/service/step/provider.js';
import { listen } from '../../support/listen.js';
import {
  ask,
  collect,
  completionRequest,
  connect,
  directoryAt,
  failureOf,
  fakeProvider,
  patienceOf,
  ways,
} from '../../support/providers/requests.js';
import { until } from '../../support/until.js';

interface Row {
  readonly fault: FaultName;
  readonly failure: ProviderFailure;
  readonly status: number | null;
  /** Total number of provider requests: 2 if a second one is allowed (rule: second-request), otherwise 1. */
  readonly requests: number;
}

/** The rows of the error table that a provider can cause (rule: error-table). */
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
  { fault: 'reset', failure: 'unreachable', status: null, requests: 1 },
  { fault: 'cut', failure: 'unreachable', status: null, requests: 1 },
];

describe.each(ways)('faults of a provider (rule: error-table): $title', (way) => {
  test.each(rows)('the provider fault $fault is classified as $failure', async ({
    fault,
    failure,
    status,
    requests,
  }) => {
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
  ] as const)('the deadline ends a request with the fault %s and leaves no open connection (rule: one-deadline)', async (fault) => {
    const fake = await fakeProvider({ fault, delayMs: 60_000, intervalMs: 50 });
    const deadline = patienceOf(300);
    const provider = connect(directoryAt(fake.url), way.model);
    const error = await failureOf(ask(provider, way, deadline));
    expect(error).toBe(deadline.signal.reason);
    expect(fake.requests).toHaveLength(1);
    await until(() => fake.openSockets() === 0);
  });
});

test.each(
  ways.filter(({ streamed }) => !streamed),
)('a plain body of more than 8 MiB is an invalid response (rule: error-table): $title', async (way) => {
  const fake = await fakeProvider({ fault: 'huge', bytes: 100_000_000 });
  const error = await failureOf(ask(connect(directoryAt(fake.url), way.model), way));
  expect(error).toMatchObject({ failure: 'invalid_response', upstreamStatus: 200 });
  expect(fake.requests).toHaveLength(1);
  await until(() => fake.openSockets() === 0);
});

test.each(
  ways.filter(({ streamed }) => streamed),
)('an endless stream is cut and returned as a truncated reply (rule: reply-cap): $title', async (way) => {
  const fake = await fakeProvider({ fault: 'huge', bytes: 100_000_000 });
  const completion = await ask(connect(directoryAt(fake.url), way.model), way);
  expect(completion).toMatchObject({ finishReason: 'length', warnings: [{ code: 'reply_too_long' }] });
  expect(fake.requests).toHaveLength(1);
  await until(() => fake.openSockets() === 0);
});

test.each(
  ways,
)('an error inside a 200 is classified by its content (rule: error-table): $title', async (way) => {
  const fake = await fakeProvider({ fault: 'error-event' });
  const error = await failureOf(ask(connect(directoryAt(fake.url), way.model), way));
  expect(error).toMatchObject({ failure: 'overloaded', upstreamStatus: 200 });
  expect(fake.requests).toHaveLength(1);
});

test.each(
  ways,
)('a silent stream that has sent its finish reason is complete (rule: finish-reason): $title', async (way) => {
  const completion = { text: 'Final Answer: kept', finishReason: 'stop' };
  const fake = await fakeProvider({ fault: 'no-end', completion });
  const answer = await ask(connect(directoryAt(fake.url), way.model), way, patienceOf(10_000));
  expect(answer).toMatchObject({ text: completion.text, finishReason: 'stop' });
  await until(() => way.streamed === false || fake.openSockets() === 0);
});

test('an OpenAI response without choices is an invalid response', async () => {
  const fake = await fakeProvider({ fault: 'empty-choices' });
  for (const way of ways.slice(0, 2)) {
    const error = await failureOf(ask(connect(directoryAt(fake.url), way.model), way));
    expect(error).toMatchObject({ failure: 'invalid_response' });
  }
});

test('an Anthropic response without blocks is an empty completion', async () => {
  const fake = await fakeProvider({ fault: 'empty-choices' });
  for (const way of ways.slice(2)) {
    const completion = await ask(connect(directoryAt(fake.url), way.model), way);
    expect(completion).toMatchObject({ text: '', toolCalls: [], finishReason: 'stop' });
  }
});

describe.each([
  ['with its name', 'Upgrade: other\r\nConnection: upgrade\r\n'],
  ['without one', ''],
  ['with the content type of a response', 'Content-Type: application/json\r\n'],
])('an upstream that switches to another protocol, %s (rule: error-table)', (_, headers) => {
  test.each(ways)('a protocol switch is immediately reported as an invalid response: $title', async (way) => {
    const server = createSocketServer((socket) => {
      socket
        .on('error', () => {})
        .once('data', () => socket.write(`HTTP/1.1 101 Switching\r\n${headers}\r\n`));
    });
    const url = await listen(server);
    const error = await failureOf(ask(connect(directoryAt(url), way.model), way));
    server.close();
    expect(error).toMatchObject({ failure: 'invalid_response' });
  });
});

const plainAnswers = {
  'gpt-4o': '{"choices": [{"message": {"content": "plain"}, "finish_reason": "stop"}]}',
  'gpt-5.6-sol':
    '{"status": "completed", "output": [{"type": "message", "content": [{"type": "output_text", "text": "plain"}]}]}',
  'claude-opus-5': '{"content": [{"type": "text", "text": "plain"}], "stop_reason": "end_turn"}',
} as const;

test.each(
  ways.filter(({ streamed }) => streamed),
)('a stream answered with a plain response is read as that response: $title', async ({ model }) => {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' }).end(plainAnswers[model]);
  });
  const url = await listen(server);
  const provider = connect(directoryAt(url), model);
  const events = await collect(provider.stream(completionRequest({ model }), patienceOf()));
  server.close();
  expect(events).toMatchObject([
    { type: 'text', delta: 'plain' },
    { type: 'completion', completion: { text: 'plain', finishReason: 'stop' } },
  ]);
});
