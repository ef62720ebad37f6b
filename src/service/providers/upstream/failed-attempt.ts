import type { ProviderError } from '../../agent/provider.js';

/** One provider request that failed, with what is needed to decide on a second one (SPEC §4.1). */
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
