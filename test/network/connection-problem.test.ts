import { describe, expect, test } from '@jest/globals';
import { connectionFailureOf } from '../../src/network/connection-problem.js';
import { connectionFailure } from '../../src/service/providers/upstream/classify-failure.js';

const withCode = (code: string, fields = {}): Error =>
  Object.assign(new Error('failed'), { code, ...fields });

describe('a failed connection is named by its problem (rule: connection-failures)', () => {
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
  ] as const)('an error with the code %s means the problem %s, which passes by itself: %s', (code, problem, isPassing) => {
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

  test('the search for the problem of an error ends even if a cause leads back to the error', () => {
    const error = withCode('OTHER');
    error.cause = error;
    expect(connectionFailureOf(error)).toBeNull();
  });
});

test.each([
  'ENOTFOUND',
  'CERT_HAS_EXPIRED',
])('a connection that failed with %s allows no second request, because that would fail too (rule: second-request)', (code) => {
  const error = withCode(code, { syscall: 'connect' });
  expect(connectionFailure(error, { provider: 'openai' }).repeatable).toBe(false);
});

test.each([
  ['is not reached', 'ECONNREFUSED', 'connect', true],
  ['refuses the tunnel', 'NONE', undefined, false],
  ['hangs up', 'ECONNRESET', 'read', false],
])('a proxy that %s (%s in %s) allows a second request: %s (rule: second-request)', (_, code, syscall, isAllowed) => {
  const cause = withCode(code, { syscall });
  const attempt = connectionFailure(withCode('ERR_PROXY_FAILED', { cause }), { provider: 'openai' });
  expect(attempt.repeatable).toBe(isAllowed);
  expect(attempt.failure.connection).toEqual({ problem: 'proxy', isPassing: true });
});
