import { ProviderError } from '../agent/provider.js';
import { FailedAttempt } from './failed-attempt.js';

/** System calls before the connection is there: when one of them fails, no byte of the request was written. */
const callsBeforeWriting = ['getaddrinfo', 'queryA', 'queryAaaa', 'connect'];

/** The peer is connected but speaks no HTTP we could read. */
const unreadable = /^HPE_|^UND_ERR_HEADERS_OVERFLOW$/;

/**
 * The failed attempt behind an error of the connection. A second request is allowed only where the error proves that
 * nothing was written. A socket the peer closed while it was idle proves nothing: the request was handed to the
 * system, and may have arrived and been billed.
 */
export function connectionFailure(error: unknown, provider: string): FailedAttempt {
  if (unreadable.test(textOf(error, 'code'))) return invalidAnswer(provider, null);
  return new FailedAttempt(new ProviderError('unreachable', { provider }), {
    repeatable: neverConnected(error),
  });
}

/** The provider answered, and the answer is of no use. */
export function invalidAnswer(provider: string, upstreamStatus: number | null): FailedAttempt {
  return new FailedAttempt(new ProviderError('invalid_response', { provider, upstreamStatus }));
}

function neverConnected(error: unknown): boolean {
  // Several addresses were tried, and each failed.
  if (error instanceof AggregateError) return error.errors.every(neverConnected);
  if (textOf(error, 'code') === 'UND_ERR_CONNECT_TIMEOUT') return true;
  return callsBeforeWriting.includes(textOf(error, 'syscall'));
}

function textOf(error: unknown, property: 'code' | 'syscall'): string {
  if (typeof error !== 'object' || error === null || !(property in error)) return '';
  return String(Object.getOwnPropertyDescriptor(error, property)?.value ?? '');
}
