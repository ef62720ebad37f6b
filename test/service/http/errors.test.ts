import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ErrorCode, errorCodes } from '../../../src/contract/error-codes.js';
import { Secret } from '../../../src/service/providers/secret.js';
import { Interruption, StepRefused } from '../../../src/service/step/interruption.js';
import { ProviderError, type ProviderFailure } from '../../../src/service/step/provider.js';
import { startTestService, stepBody, stepPath, type TestService } from '../../support/test-service.js';

/** The error that the next step throws. */
let thrown: unknown;
let service: TestService;
beforeAll(async () => {
  service = await startTestService({
    step: async () => {
      throw thrown;
    },
  });
});
afterAll(() => service.close());

const history = [{ role: 'user', content: 'before', extra: { kept: null } }];

async function failing(error: unknown) {
  thrown = error;
  return service.call('POST', stepPath, { body: stepBody({ conversation_history: history }) });
}

describe('the response to an error thrown by the step (rules: one-failure-body, error-table)', () => {
  const rows: [ProviderFailure, ErrorCode][] = [
    ['authentication', 'upstream_authentication_failed'],
    ['permission', 'upstream_permission_denied'],
    ['model_not_found', 'upstream_model_not_found'],
    ['billing', 'upstream_billing'],
    ['rate_limited', 'upstream_rate_limited'],
    ['overloaded', 'upstream_overloaded'],
    ['failed', 'upstream_error'],
    ['invalid_response', 'upstream_invalid_response'],
    ['unreachable', 'upstream_unreachable'],
    ['context_length', 'upstream_context_length_exceeded'],
    ['rejected', 'upstream_rejected_request'],
  ];

  test.each(rows)('the provider failure %s returns the error code %s', async (failure, code) => {
    const { status, body } = await failing(
      new ProviderError(failure, { provider: 'test', upstreamStatus: 418 }),
    );
    expect(status).toBe(errorCodes[code].status);
    expect(body.error).toMatchObject({
      code,
      message: errorCodes[code].message,
      retryable: errorCodes[code].retryable,
      provider: 'test',
      upstream_status: 418,
    });
  });

  test('a refused step returns its error code and details', async () => {
    const details = [{ path: '', code: 'needed', message: '9000 tokens are needed' }];
    const { status, body } = await failing(new StepRefused('token_budget_exceeded', details));
    expect([status, body.error.code, body.error.details]).toEqual([422, 'token_budget_exceeded', details]);
  });

  test('a step interrupted by its deadline returns 504 upstream_timeout', async () => {
    const { status, body } = await failing(new Interruption('deadline'));
    expect([status, body.error.code, body.error.retryable]).toEqual([504, 'upstream_timeout', true]);
  });

  test('an error thrown after the deadline is reported as upstream_timeout', async () => {
    const slow = await startTestService({
      deadlineMs: 20,
      step: async (_request, { deadline }) => {
        await new Promise((aborted) => deadline.signal.addEventListener('abort', aborted));
        throw new ProviderError('unreachable', { provider: 'test' });
      },
    });
    const { body } = await slow.call('POST', stepPath, { body: stepBody() });
    await slow.close();
    expect(body.error.code).toBe('upstream_timeout');
  });

  test('a step interrupted by a shutdown returns 503 shutting_down', async () => {
    const { status, body } = await failing(new Interruption('shutting_down'));
    expect([status, body.error.code]).toEqual([503, 'shutting_down']);
  });

  test.each([
    ['an error', new Error('sk-canary-1234567890')],
    ['a string', 'sk-canary-1234567890'],
    ['undefined', undefined],
  ])('a bug (%s) returns 500 internal_error without its text in response or log', async (_what, bug) => {
    const answer = await failing(bug);
    expect([answer.status, answer.body.error.code]).toEqual([500, 'internal_error']);
    expect(JSON.stringify([answer.body, service.log])).not.toMatch(/canary/);
  });

  test('a bug is logged with the request id and the source location', async () => {
    const { body } = await failing(new TypeError('boom'));
    const line = service.log.find(
      (each) => String(each['msg']).startsWith('bug') && each['request_id'] === body.request_id,
    );
    expect(line).toMatchObject({ bug: { name: 'TypeError' } });
    expect(JSON.stringify(line)).toMatch(/at .*errors\.test/);
  });

  test('the log of a bug contains neither the caller’s key nor a credential of a gateway (rules: key-redaction, gateway-settings)', async () => {
    const credential = 'pk-gateway-canary-4711';
    const key = 'sk-caller-canary-0815';
    const guarded = await startTestService({
      gatewaySecrets: [Secret.ofSetting(credential, { isCredential: true })],
      step: async () => {
        throw Object.assign(new Error('boom'), { name: `Bad ${credential} or ${key}` });
      },
    });
    await guarded.call('POST', stepPath, { body: stepBody(), headers: { 'X-LLM-API-Key': key } });
    await guarded.close();
    const line = guarded.log.find((each) => String(each['msg']).startsWith('bug'));
    expect(line).toMatchObject({ bug: { name: 'Bad [redacted] or [redacted]' } });
    expect(JSON.stringify(guarded.log)).not.toContain('canary');
  });

  test('a bug after the deadline is logged, and the response is upstream_timeout', async () => {
    const slow = await startTestService({
      deadlineMs: 20,
      step: async (_request, { deadline }) => {
        await new Promise((aborted) => deadline.signal.addEventListener('abort', aborted));
        throw new RangeError('boom');
      },
    });
    const { body } = await slow.call('POST', stepPath, { body: stepBody() });
    await slow.close();
    expect(body.error.code).toBe('upstream_timeout');
    expect(slow.log.find((each) => String(each['msg']).startsWith('bug'))).toMatchObject({
      bug: { name: 'RangeError' },
    });
  });

  test('error responses contain no stack frame and no path of the service', async () => {
    const answer = await failing(new Error('boom'));
    expect(JSON.stringify(answer)).not.toMatch(/\bat .*:\d+|\.js|node_modules/);
  });
});

describe('request fields repeated in an error response (rule: null-never-empty)', () => {
  test('a failed step returns the session, iterations and history as sent', async () => {
    const { body } = await failing(new ProviderError('failed', { provider: 'test' }));
    expect(body.session_id).toBe(stepBody()['session_id']);
    expect(body.iterations_remaining).toBe(3);
    expect(body.updated_conversation_history).toEqual(history);
    expect(body.new_turns).toEqual([]);
  });

  test('an unreadable request gets null for session, iterations and history, never an empty value', async () => {
    const { body } = await service.call('POST', stepPath, { raw: '{' });
    expect([body.session_id, body.iterations_remaining, body.updated_conversation_history]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test('include.history false also removes the history from error responses', async () => {
    thrown = new ProviderError('failed', { provider: 'test' });
    const { body } = await service.call('POST', stepPath, {
      body: stepBody({ include: { history: false } }),
    });
    expect(body.updated_conversation_history).toBeNull();
  });
});

describe('Retry-After is 1 to 3600 whole seconds (rule: retry-after)', () => {
  test.each([
    [1, '1'],
    [1_500, '2'],
    [60_000, '60'],
    [1e12, '3600'],
  ])('a provider’s retry wait of %d ms becomes Retry-After: %s', async (retryAfterMs, header) => {
    const { headers, body } = await failing(
      new ProviderError('rate_limited', { provider: 'test', retryAfterMs }),
    );
    expect(headers['retry-after']).toBe(header);
    expect(Math.ceil(body.error.retry_after_ms / 1000)).toBe(Number(header));
  });

  test('rate-limited and overloaded errors have a Retry-After even if the provider sends none', async () => {
    for (const failure of ['rate_limited', 'overloaded'] as const) {
      const { headers } = await failing(new ProviderError(failure, { provider: 'test' }));
      expect(headers['retry-after']).toBe('5');
    }
  });

  test('an error that is not retryable has no Retry-After, even if the provider sends one', async () => {
    const { headers, body } = await failing(
      new ProviderError('authentication', { provider: 'test', retryAfterMs: 60_000 }),
    );
    expect(body.error).toMatchObject({ retryable: false, retry_after_ms: null });
    expect(headers['retry-after']).toBeUndefined();
  });

  test('other provider failures have no Retry-After', async () => {
    const { headers } = await failing(new ProviderError('failed', { provider: 'test' }));
    expect(headers['retry-after']).toBeUndefined();
  });
});
