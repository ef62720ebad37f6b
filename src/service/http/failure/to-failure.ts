import { type ErrorCode, errorCodes } from '../../../contract/error-codes.js';
import type { ErrorDetail, StepError } from '../../../contract/step.js';
import { stepError } from '../../../conversation/blank-step.js';
import { connectionProblems } from '../../../network/connection-problem.js';
import { Interruption, type InterruptionReason, StepRefused } from '../../step/interruption.js';
import { ProviderError, type ProviderFailure } from '../../step/provider.js';

/** A request that the service rejects: malformed, too large, too slow, or not acceptable at the moment. */
export class RequestRefused extends Error {
  override readonly name = 'RequestRefused';
  readonly code: ErrorCode;
  readonly details: readonly ErrorDetail[];
  /** Wait before a retry in milliseconds; null for the default of the error code. */
  readonly retryAfterMs: number | null;

  constructor(code: ErrorCode, details: readonly ErrorDetail[] = [], retryAfterMs: number | null = null) {
    super(`The request was refused: ${code}.`);
    this.code = code;
    this.details = details;
    this.retryAfterMs = retryAfterMs;
  }
}

/** A failure with a code of the error table. */
export interface Failure extends StepError {
  code: ErrorCode;
}

/** Converts a thrown value to a failure (rule: error-table). Any unknown value is a bug. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof RequestRefused) {
    return failure(thrown.code, { details: [...thrown.details], retry_after_ms: thrown.retryAfterMs });
  }
  if (thrown instanceof StepRefused) return failure(thrown.code, { details: [...thrown.details] });
  if (thrown instanceof Interruption) return failure(codeOfInterruption[thrown.reason]);
  if (thrown instanceof ProviderError) {
    return failure(codeOfProviderFailure[thrown.failure], {
      provider: thrown.provider,
      upstream_status: thrown.upstreamStatus,
      retry_after_ms: thrown.retryAfterMs,
      details: detailsOf(thrown),
      ...(thrown.connection?.isPassing === false && { retryable: false }),
    });
  }
  return failure('internal_error');
}

function detailsOf({ vendorWords, connection }: ProviderError): ErrorDetail[] {
  if (vendorWords !== null) return [{ source: 'provider', message: vendorWords }];
  return connection ? [{ code: connection.problem, message: connectionProblems[connection.problem] }] : [];
}

/**
 * Returns whether a thrown value is a bug. An `AbortError` is not a bug: an interruption caused it, and the
 * interruption has the reason.
 */
export function isBug(thrown: unknown): boolean {
  const isAbort = thrown instanceof Error && thrown.name === 'AbortError';
  return !isAbort && toFailure(thrown).code === 'internal_error';
}

const codeOfProviderFailure = {
  authentication: 'upstream_authentication_failed',
  permission: 'upstream_permission_denied',
  model_not_found: 'upstream_model_not_found',
  billing: 'upstream_billing',
  rate_limited: 'upstream_rate_limited',
  overloaded: 'upstream_overloaded',
  failed: 'upstream_error',
  invalid_response: 'upstream_invalid_response',
  unreachable: 'upstream_unreachable',
  context_length: 'upstream_context_length_exceeded',
  rejected: 'upstream_rejected_request',
} as const satisfies Record<ProviderFailure, ErrorCode>;

const codeOfInterruption = {
  deadline: 'upstream_timeout',
  shutting_down: 'shutting_down',
  slow_upload: 'overloaded',
  // The caller has left and will read no response, so this code is never sent. The log has a separate outcome for
  // it.
  caller_left: 'request_timeout',
} as const satisfies Record<InterruptionReason, ErrorCode>;

/**
 * Default Retry-After times, for the codes whose responses must have that header. Used if the provider sends no time
 * (rule: retry-after).
 */
const usualWaitMs: Partial<Record<ErrorCode, number>> = {
  overloaded: 1_000,
  shutting_down: 2_000,
  rate_limited: 5_000,
  upstream_overloaded: 5_000,
  upstream_rate_limited: 5_000,
};

const MIN_WAIT_MS = 1_000;
const MAX_WAIT_MS = 3_600_000;

function failure(code: ErrorCode, given: Partial<Omit<StepError, 'code'>> = {}): Failure {
  const { retryable = errorCodes[code].retryable } = given;
  const wait = retryable ? (given.retry_after_ms ?? usualWaitMs[code]) : undefined;
  const retry_after_ms = wait === undefined ? null : sensibleWait(wait);
  return { ...stepError({ code, ...errorCodes[code] }, { ...given, retry_after_ms }), code };
}

const sensibleWait = (ms: number): number => Math.round(Math.min(MAX_WAIT_MS, Math.max(MIN_WAIT_MS, ms)));
