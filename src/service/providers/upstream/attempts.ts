import { setTimeout as wait } from 'node:timers/promises';
import type { StepDeadline } from '../../step/interruption.js';
import { FailedAttempt } from './failed-attempt.js';

/** The wait if the provider names none; without jitter, since there is one second request and no third. */
const BACKOFF_MS = 250;

export interface AttemptOptions {
  readonly deadline: StepDeadline;
  /** Parameters this model is known to refuse. */
  readonly refused: ReadonlySet<string>;
  /** Called when the request got further without the parameter, and so the parameter was the trouble. */
  readonly remember: (parameter: string) => void;
}

/**
 * Makes the request, and once more where that is allowed (rule: second-request): without a refused parameter, or after
 * a wait that leaves at least half of the remaining time for the answer. Throws the `ProviderError` of the last attempt.
 */
export async function withSecondAttempt<Result>(
  attempt: (refused: ReadonlySet<string>) => Promise<Result>,
  { deadline, refused, remember }: AttemptOptions,
): Promise<Result> {
  try {
    return await attempt(refused);
  } catch (error) {
    if (!(error instanceof FailedAttempt)) throw error;
    return await attemptAgain(attempt, error, { deadline, refused, remember });
  }
}

async function attemptAgain<Result>(
  attempt: (refused: ReadonlySet<string>) => Promise<Result>,
  first: FailedAttempt,
  { deadline, refused, remember }: AttemptOptions,
): Promise<Result> {
  const parameter = first.refusedParameter;
  if (parameter === undefined) await waitBeforeSecond(first, deadline);
  const second = await outcomeOf(
    attempt(parameter === undefined ? refused : new Set([...refused, parameter])),
  );
  if (parameter !== undefined && gotFurther(second, parameter)) remember(parameter);
  if (second instanceof FailedAttempt) throw second.failure;
  return second;
}

/** It went through, or the next thing is refused: that would be said of no request if this one were still the trouble. */
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
