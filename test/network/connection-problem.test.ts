import { describe, expect, test } from '@jest/globals';
import { connectionFailureOf } from '../../src/network/connection-problem.js';
import { connectionFailure } from '../../src/service/providers/upstream/classify-failure.js';

const withCode = (code: string, fields = {}): Error =>
  Object.assign(new Error('failed'), { code, ...fields });

describe('connectionFailureOf returns the problem that an error code stands for (rule: connection-failures)', () => {
  test.each([
    ['ENOTFOUND', 'dns', false],
    ['EAI_AGAIN', 'dns', true],
    ['ECONNREFUSED', 'refused', true],
    ['EHOSTUNREACH', 'refused', true],
    ['ECONNRESET', 'reset', true],
    ['EPIPE', 'reset', true],
    ['UND_ERR_SOCKET', 'reset', true],
    ['ETIMEDOUT', 'timeout', true],
    ['UND_ERR_CONNECT_TIMEOUT', 'timeout', true],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'tls_hostname', false],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'tls_untrusted', false],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'tls_untrusted', false],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'tls_untrusted', false],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'tls_untrusted', false],
    ['CERT_HAS_EXPIRED', 'tls_untrusted', false],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'tls_untrusted', false],
    ['EPROTO', 'tls_untrusted', false],
  ] as const)('an error with the code %s is the connection problem %s, which may pass by itself: %s', (code, problem, isPassing) => {
    expect(connectionFailureOf(withCode(code))).toEqual({ problem, isPassing });
    expect(connectionFailureOf(withCode('OTHER', { cause: withCode(code) }))).toEqual({ problem, isPassing });
    expect(connectionFailureOf(withCode('OTHER', { errors: [withCode(code)] }))).toEqual({
      problem,
      isPassing,
    });
  });

  test.each([
    [new Error('failed')],
    [withCode('OTHER')],
    [null],
    ['text'],
  ])('the error %p means no known connection problem', (error) => {
    expect(connectionFailureOf(error)).toBeNull();
  });

  test('the search for a connection problem ends even if an error is its own cause', () => {
    const error = withCode('OTHER');
    error.cause = error;
    expect(connectionFailureOf(error)).toBeNull();
  });
});

test.each([
  'ENOTFOUND',
  'CERT_HAS_EXPIRED',
])('after a connection failed with %s, no second request is allowed, because it would fail too (rule: second-request)', (code) => {
  const error = withCode(code, { syscall: 'connect' });
  expect(connectionFailure(error, { provider: 'openai' }).repeatable).toBe(false);
});

test.each([
  ['cannot be reached', 'ECONNREFUSED', 'connect', true],
  ['refuses the tunnel', 'NONE', undefined, false],
  ['hangs up', 'ECONNRESET', 'read', false],
])('after a proxy failed because it %s (%s in %s), a second request is allowed: %s (rule: second-request)', (_, code, syscall, isAllowed) => {
  const cause = withCode(code, { syscall });
  const attempt = connectionFailure(withCode('ERR_PROXY_FAILED', { cause }), { provider: 'openai' });
  expect(attempt.repeatable).toBe(isAllowed);
  expect(attempt.failure.connection).toEqual({ problem: 'proxy', isPassing: true });
});
