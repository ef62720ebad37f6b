import { setTimeout as wait } from 'node:timers/promises';
import type { StepDeadline } from '../../step/interruption.js';
import { ProviderError } from '../../step/provider.js';

/**
 * Wait before the second attempt if the provider specifies none. It needs no jitter, because there is no third
 * attempt.
 */
const BACKOFF_MS = 250;

/** A failed provider request, with the data to decide on a second one (rule: second-request). */
export class FailedAttempt extends Error {
  override readonly name = 'FailedAttempt';
  /** The failure that the caller sees if there is no second request. */
  readonly failure: ProviderError;
  /** True if the same request may be sent again: nothing was written, or the provider responded with 429 or 5xx. */
  readonly repeatable: boolean;
  /** The parameter that the provider refuses, by its name in the provider's API. */
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

/** Returns the failure for a response that the service cannot use. */
export function invalidAnswer(provider: string, upstreamStatus: number | null): FailedAttempt {
  return new FailedAttempt(new ProviderError('invalid_response', { provider, upstreamStatus }));
}

export interface AttemptOptions {
  readonly deadline: StepDeadline;
  /** Parameters that the model is known to refuse. */
  readonly refused: ReadonlySet<string>;
  /**
   * Called with a refused parameter if the request without it succeeded, or was refused because of another parameter.
   */
  readonly remember: (parameter: string) => void;
}

/**
 * Sends the request, and a second time if that is allowed (rule: second-request): without a refused parameter, or
 * after a wait that leaves at least half of the remaining time for the response. Throws the `ProviderError` of the
 * last attempt.
 */
export async function withSecondAttempt<Result>(
  attempt: (refused: ReadonlySet<string>) => Promise<Result>,
  { deadline, refused, remember }: AttemptOptions,
): Promise<Result> {
  const first = await outcomeOf(attempt(refused));
  if (!(first instanceof FailedAttempt)) return first;
  const parameter = first.refusedParameter;
  if (parameter === undefined) await waitBeforeSecond(first, deadline);
  const second = await outcomeOf(
    attempt(parameter === undefined ? refused : new Set([...refused, parameter])),
  );
  if (parameter !== undefined && gotFurther(second, parameter)) remember(parameter);
  if (second instanceof FailedAttempt) throw second.failure;
  return second;
}

/**
 * Returns whether removing the parameter helped: the second request succeeded, or the provider now refuses a
 * different parameter.
 */
const gotFurther = (second: unknown, parameter: string): boolean =>
  !(second instanceof FailedAttempt) ||
  (second.refusedParameter !== undefined && second.refusedParameter !== parameter);

async function outcomeOf<Result>(attempt: Promise<Result>): Promise<Result | FailedAttempt> {
  try {
    return await attempt;
  } catch (error) {
    if (error instanceof FailedAttempt) return error;
    throw error;
  }
}

async function waitBeforeSecond(
  { failure, repeatable }: FailedAttempt,
  deadline: StepDeadline,
): Promise<void> {
  const waitMs = Math.max(BACKOFF_MS, failure.retryAfterMs ?? 0);
  if (!repeatable || waitMs > deadline.remainingMs() / 2) throw failure;
  await wait(waitMs, undefined, { signal: deadline.signal }).catch(() => {
    throw deadline.signal.reason;
  });
}
