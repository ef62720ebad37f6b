import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { type FakeProvider, startFakeProvider } from '../../../src/offline/fake-provider.js';
import { faultNames } from '../../../src/offline/faults/faults.js';
import type { FaultName } from '../../../src/offline/wire/reply.js';
import {
  anthropicAt,
  anthropicRequest,
  type Call,
  calls,
  openaiAt,
  openaiRequest,
} from '../../support/clients.js';

let provider: FakeProvider;
beforeEach(async () => {
  provider = await startFakeProvider({ text: 'Final Answer: a healthy answer' });
});
afterEach(() => provider.close());

/** Returns the value or the error that the client got, reduced to the parts that tests compare. */
async function outcome(call: Call): Promise<{ value?: unknown; error?: Failure }> {
  try {
    return { value: await call.ask(provider.url) };
  } catch (error) {
    return { error: describeError(error) };
  }
}

interface Failure {
  readonly status: unknown;
  readonly code: unknown;
  readonly type: unknown;
  readonly message: string;
  readonly headers: Headers | undefined;
}

function describeError(error: unknown): Failure {
  const { status, code, type, message, headers } = Object(error);
  return { status, code, type, message: String(message), headers };
}

const healthy = 'a healthy answer';
const completion = { text: `Final Answer: ${healthy}` };

describe.each(calls)('provider faults through $title', (call) => {
  const byVendor = <Value>(openai: Value, anthropic: Value): Value =>
    call.vendor === 'openai' ? openai : anthropic;

  test.each<[FaultName, number, string | undefined, string]>([
    ['bad-request', 400, undefined, 'invalid_request_error'],
    ['context-overflow', 400, 'context_length_exceeded', 'invalid_request_error'],
    ['unauthorized', 401, 'invalid_api_key', 'authentication_error'],
    ['payment-required', 402, 'insufficient_balance', 'billing_error'],
    ['forbidden', 403, 'unsupported_country_region_territory', 'permission_error'],
    ['not-found', 404, 'model_not_found', 'not_found_error'],
    ['request-timeout', 408, undefined, 'timeout_error'],
    ['conflict', 409, undefined, 'conflict_error'],
    ['too-large', 413, undefined, 'request_too_large'],
    ['rate-limited', 429, 'rate_limit_exceeded', 'rate_limit_error'],
    ['quota-exhausted', 429, 'insufficient_quota', 'rate_limit_error'],
    ['server-error', 500, undefined, 'api_error'],
    ['bad-gateway', 502, undefined, 'api_error'],
    ['unavailable', 503, 'server_is_overloaded', 'api_error'],
    ['gateway-timeout', 504, undefined, 'timeout_error'],
    ['overloaded', 529, 'server_is_overloaded', 'overloaded_error'],
  ])("the fault %s answers %d in the vendor's format", async (fault, status, code, type) => {
    provider.script({ fault });
    const { error } = await outcome(call);
    expect(error?.status).toBe(status);
    expect(byVendor(error?.code ?? undefined, error?.type)).toBe(byVendor(code, type));
  });

  test("the fault `context-overflow` has the vendor's message", async () => {
    provider.script({ fault: 'context-overflow' });
    const { error } = await outcome(call);
    expect(error?.message).toMatch(
      byVendor(/maximum context length is \d+ tokens/, /prompt is too long: \d+ tokens/),
    );
  });

  test('the fault `rate-limited` sends the scripted Retry-After', async () => {
    provider.script([{ fault: 'rate-limited' }, { fault: 'rate-limited', retryAfter: '3600' }]);
    expect((await outcome(call)).error?.headers?.get('retry-after')).toBe('1');
    expect((await outcome(call)).error?.headers?.get('retry-after')).toBe('3600');
  });

  test('the fault `echoed-key` repeats the key in the message and in a header', async () => {
    provider.script({ fault: 'echoed-key' });
    const key = byVendor('sk-test-key', 'sk-ant-test-key');
    const { error } = await outcome(call);
    expect(error?.status).toBe(401);
    expect(error?.message).toContain(key);
    expect(error?.headers?.get('www-authenticate')).toContain(key);
  });

  test('the fault `unsupported-parameter` refuses exactly the named parameter', async () => {
    provider.script({ fault: 'unsupported-parameter', parameter: 'model' });
    expect((await outcome(call)).error).toMatchObject({
      status: 400,
      message: expect.stringContaining('model'),
    });
    provider.script({
      fault: 'unsupported-parameter',
      parameter: 'temperature',
      completion: { text: healthy },
    });
    expect(JSON.stringify((await outcome(call)).value)).toContain('healthy');
  });

  test('the fault `slow-headers` sends its answer after the delay', async () => {
    provider.script({ fault: 'slow-headers', delayMs: 30, completion });
    expect(JSON.stringify((await outcome(call)).value)).toContain('healthy');
  });

  test('the fault `drip` sends the complete answer', async () => {
    provider.script({ fault: 'drip', intervalMs: 0, completion });
    expect(JSON.stringify((await outcome(call)).value)).toContain('healthy');
  });

  test.each<FaultName>([
    'slow-headers',
    'stalled-body',
    'drip',
    'silence',
  ])('the fault %s keeps its answer incomplete until the client leaves, and the request is recorded as aborted', async (fault) => {
    provider.script({ fault });
    const leaving = new AbortController();
    const asking = call.ask(provider.url, leaving.signal).catch(() => 'left');
    const request = await provider.request(0);
    expect(request.ending).toBeNull();
    leaving.abort();
    await asking;
    expect(await request.ended).toBe('aborted');
    expect(request.aborted).toBe(true);
    expect(request.endedAt).toBeGreaterThanOrEqual(request.at);
  });

  test.each<FaultName>([
    'cut',
    'reset',
  ])('the fault %s is recorded as a connection that the provider broke', async (fault) => {
    provider.script({ fault, completion });
    const { error } = await outcome(call);
    expect(error?.status).toBeUndefined();
    expect(error?.message).toMatch(/terminated|Connection error/);
    expect(await provider.requests[0]?.ended).toBe('cut');
    expect(provider.requests[0]?.aborted).toBe(false);
  });

  test('the fault `html-502` answers with status 502', async () => {
    provider.script({ fault: 'html-502' });
    expect((await outcome(call)).error).toMatchObject({ status: 502 });
  });

  test('the fault `truncated-json` cannot be parsed', async () => {
    provider.script({ fault: 'truncated-json', completion });
    expect((await outcome(call)).error?.message).toMatch(/JSON/);
  });

  test('the target of the fault `redirect` records the request of a client that follows it', async () => {
    provider.script({ fault: 'redirect' });
    expect((await outcome(call)).error?.status).toBe(404);
    expect(provider.requests.map(({ path }) => path)).toEqual([
      byVendor('/v1/chat/completions', '/v1/messages'),
      byVendor('/redirected/v1/chat/completions', '/redirected/v1/messages'),
    ]);
    expect(provider.requests[1]?.rawBody).toBe(provider.requests[0]?.rawBody);
  });
});

const [openaiPlain, openaiStreamed, anthropicPlain, anthropicStreamed] = calls as [Call, Call, Call, Call];

describe('faults that answer 200 without a completion', () => {
  const valueUnder = async (fault: FaultName, call: Call) => {
    provider.script({ fault, completion });
    return (await outcome(call)).value;
  };

  test('the SDKs return a string for the faults html and wrong-content-type', async () => {
    for (const call of [openaiPlain, anthropicPlain]) {
      expect(await valueUnder('html', call)).toMatch(/^<!DOCTYPE html>/);
      expect(JSON.parse(String(await valueUnder('wrong-content-type', call)))).toHaveProperty('id');
    }
  });

  test('the SDKs return the bodies of the faults `null` and `empty-object` unchanged', async () => {
    for (const call of [openaiPlain, anthropicPlain]) {
      expect(await valueUnder('null', call)).toBeNull();
      expect(await valueUnder('empty-object', call)).toEqual({});
    }
    expect(await valueUnder('null', openaiStreamed)).toEqual([null]);
  });

  test('the fault `empty` sends a body without JSON, or a stream without events', async () => {
    for (const call of [openaiPlain, anthropicPlain]) {
      provider.script({ fault: 'empty' });
      expect((await outcome(call)).error?.message).toMatch(/JSON/);
    }
    expect(await valueUnder('empty', openaiStreamed)).toEqual([]);
    expect(await valueUnder('empty', anthropicStreamed)).toEqual([]);
  });

  test('the fault `empty-choices` sends a complete answer without content', async () => {
    expect(await valueUnder('empty-choices', openaiPlain)).toMatchObject({ choices: [], usage: {} });
    expect(await valueUnder('empty-choices', openaiStreamed)).toMatchObject([
      { choices: [] },
      { choices: [] },
    ]);
    expect(await valueUnder('empty-choices', anthropicPlain)).toMatchObject({ content: [], type: 'message' });
    const types = (await valueUnder('empty-choices', anthropicStreamed)) as { type: string }[];
    expect(types.map(({ type }) => type)).toEqual(['message_start', 'message_delta', 'message_stop']);
  });

  test('the fault `error-event` is thrown after the first events of a stream, and is the body of a plain answer', async () => {
    for (const call of [openaiStreamed, anthropicStreamed]) {
      provider.script({ fault: 'error-event', completion });
      expect((await outcome(call)).error?.message).toMatch(/Overloaded/);
    }
    expect(await valueUnder('error-event', openaiPlain)).toMatchObject({ error: { type: 'server_error' } });
    expect(await valueUnder('error-event', anthropicPlain)).toMatchObject({
      error: { type: 'overloaded_error' },
    });
  });
});

describe('the fault `huge`', () => {
  test.each(calls)('the fault `huge` sends at least as many bytes as requested: $title', async (call) => {
    provider.script({ fault: 'huge', bytes: 1_000_000 });
    expect(JSON.stringify((await outcome(call)).value).length).toBeGreaterThan(1_000_000);
  });

  test('the fault `huge` produces text only as fast as the client reads it, and stops when the client leaves', async () => {
    provider.script({ fault: 'huge', bytes: 10_000_000_000 });
    const before = process.memoryUsage.rss();
    for (const stream of [true, false]) {
      const response = await fetch(`${provider.url}/v1/chat/completions`, {
        method: 'POST',
        body: JSON.stringify({ ...openaiRequest, stream }),
      });
      const reader = response.body?.getReader();
      for (let read = 0; read < 100; read += 1) await reader?.read();
      await reader?.cancel();
    }
    expect(await provider.requests[0]?.ended).toBe('aborted');
    expect(await provider.requests[1]?.ended).toBe('aborted');
    expect(process.memoryUsage.rss() - before).toBeLessThan(200_000_000);
  });
});

test('every fault can be scripted by its name alone and ends when the provider closes', async () => {
  expect(faultNames.length).toBeGreaterThanOrEqual(34);
  const slow = ['slow-headers', 'stalled-body', 'drip', 'silence', 'huge'];
  for (const fault of faultNames.filter((name) => !slow.includes(name))) {
    provider.script({ fault });
    await openaiAt(provider.url)
      .chat.completions.create(openaiRequest)
      .catch(() => null);
    await anthropicAt(provider.url)
      .messages.create(anthropicRequest)
      .catch(() => null);
  }
  expect(provider.requests.every(({ ending }) => ending !== null)).toBe(true);
});
