import { ProviderError } from '../../step/provider.js';

/** One provider request that failed, with what is needed to decide on a second one (rule: second-request). */
export class FailedAttempt extends Error {
  override readonly name = 'FailedAttempt';
  /** What the caller is told if there is no second request. */
  readonly failure: ProviderError;
  /** The very same request may be sent again: nothing was written, or the provider asked for a wait. */
  readonly repeatable: boolean;
  /** The parameter of ours that the provider does not take, in the word of the wire. */
  readonly refusedParameter: string | undefined;

  constructor(
    failure: ProviderError,
    remedy: { repeatable?: boolean; refusedParameter?: string | undefined } = {},
  ) {
    super(failure.message);
    this.failure = failure;
    this.repeatable = remedy.repeatable ?? false;
    this.refusedParameter = remedy.refusedParameter;
  }
}

/** System calls before the connection is there: when one of them fails, no byte of the request was written. */
const callsBeforeWriting = ['getaddrinfo', 'queryA', 'queryAaaa', 'connect'];

/**
 * The failed attempt that an error of the connection means. A second request is allowed only if the error proves that
 * nothing was written. A socket the peer closed while it was idle proves nothing: the request was handed to the
 * system, and may have arrived and been billed.
 */
export function connectionFailure(error: unknown, provider: string): FailedAttempt {
  if (isUnreadable(error)) return invalidAnswer(provider, null);
  return new FailedAttempt(new ProviderError('unreachable', { provider }), {
    repeatable: neverConnected(error),
  });
}

/** The provider answered, and the answer is of no use. */
export function invalidAnswer(provider: string, upstreamStatus: number | null): FailedAttempt {
  return new FailedAttempt(new ProviderError('invalid_response', { provider, upstreamStatus }));
}

/** Endless headers, two lengths, no HTTP at all. By undici's names: its classes would load all of it, and not all have codes. */
const unreadable = ['HTTPParserError', 'HeadersOverflowError', 'ResponseContentLengthMismatchError'];

/** An answer in another protocol, which undici tells by these words alone. */
const BAD_UPGRADE = 'bad upgrade';

const isUnreadable = (error: unknown): boolean =>
  error instanceof Error && (unreadable.includes(error.name) || error.message === BAD_UPGRADE);

const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : '';

function neverConnected(error: unknown): boolean {
  if (codeOf(error) === 'UND_ERR_CONNECT_TIMEOUT') return true;
  if (typeof error !== 'object' || error === null) return false;
  // Several addresses were tried, and each failed.
  if ('errors' in error && Array.isArray(error.errors)) return error.errors.every(neverConnected);
  return 'syscall' in error && callsBeforeWriting.includes(String(error.syscall));
}
