import { errors } from 'undici';
import { ProviderError } from '../../agent/provider.js';
import { FailedAttempt } from './failed-attempt.js';

/** System calls before the connection is there: when one of them fails, no byte of the request was written. */
const callsBeforeWriting = ['getaddrinfo', 'queryA', 'queryAaaa', 'connect'];

/**
 * The failed attempt behind an error of the connection. A second request is allowed only where the error proves that
 * nothing was written. A socket the peer closed while it was idle proves nothing: the request was handed to the
 * system, and may have arrived and been billed.
 */
export function connectionFailure(error: unknown, provider: string): FailedAttempt {
  const unreadable = error instanceof errors.HTTPParserError || error instanceof errors.HeadersOverflowError;
  if (unreadable) return invalidAnswer(provider, null);
  return new FailedAttempt(new ProviderError('unreachable', { provider }), {
    repeatable: neverConnected(error),
  });
}

/** The provider answered, and the answer is of no use. */
export function invalidAnswer(provider: string, upstreamStatus: number | null): FailedAttempt {
  return new FailedAttempt(new ProviderError('invalid_response', { provider, upstreamStatus }));
}

function neverConnected(error: unknown): boolean {
  if (error instanceof errors.ConnectTimeoutError) return true;
  if (typeof error !== 'object' || error === null) return false;
  // Several addresses were tried, and each failed.
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.every(neverConnected);
  return 'syscall' in error && callsBeforeWriting.includes(String(error.syscall));
}
