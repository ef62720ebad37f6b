import type { ErrorCode } from '../../contract/error-codes.js';
import type { ErrorDetail, ErrorResponse, StepError } from '../../contract/step.js';
import { stepError } from '../../conversation/blank-step.js';
import { describeFailure } from './error-hints.js';

/** Codes of failures for which the service has sent no answer. */
export type ConnectionErrorCode = 'service_unreachable' | 'service_timeout' | 'invalid_answer';

/** The argument of the constructor of `StepwiseError`. */
export interface Failure {
  /** A code of the service, or a connection error. */
  readonly code: ErrorCode | ConnectionErrorCode;
  /** A fixed text that never contains a secret. */
  readonly message: string;
  /** True if the same request may succeed later. */
  readonly retryable: boolean;
  /** HTTP status of the answer; absent without one. */
  readonly status?: number | undefined;
  /** Milliseconds to wait before the next attempt. */
  readonly retryAfterMs?: number | null | undefined;
  /** Facts about the failure beyond its code. */
  readonly details?: readonly ErrorDetail[] | undefined;
  /** The whole body of the error. */
  readonly body?: ErrorResponse | undefined;
}

/**
 * The service refused the request, failed, or could not be reached. `message` has the sentence of the service, the fields
 * that it names, and advice for the developer. Never contains a key.
 */
export class StepwiseError extends Error {
  /** Always `StepwiseError`, also in another realm. */
  override readonly name = 'StepwiseError';
  /** A code of the service (rule: error-table), or a connection error. */
  readonly code: ErrorCode | ConnectionErrorCode;
  /** HTTP status; null without an answer. */
  readonly status: number | null;
  /** True if the same request may succeed later. */
  readonly retryable: boolean;
  /** Milliseconds to wait before the next attempt; null if the service names no time. */
  readonly retryAfterMs: number | null;
  /**
   * Facts in addition to the code: from the service, or the reason why it could not be reached (rule:
   * connection-failures).
   */
  readonly details: readonly ErrorDetail[];
  /** The whole body of the error; null if the service sent none. */
  readonly body: ErrorResponse | null;
  /** The failure as in a response of the service: its message is the sentence only, without details and advice. */
  readonly #error: StepError;

  /** Creates the error of a failure. */
  constructor(failure: Failure) {
    const { retryAfterMs, details, body } = failure;
    const error =
      body?.error ??
      stepError(failure, { retry_after_ms: retryAfterMs ?? null, details: [...(details ?? [])] });
    // An older service sends no details, although its error has the type of the contract.
    const complete = { ...error, details: error.details ?? [] };
    super(describeFailure(complete));
    this.#error = complete;
    this.code = failure.code;
    this.status = failure.status ?? null;
    this.retryable = failure.retryable;
    this.retryAfterMs = failure.retryAfterMs ?? null;
    this.details = failure.details ?? [];
    this.body = failure.body ?? null;
  }

  /** Creates the error from the body of a failure. */
  static fromBody(body: ErrorResponse, status?: number): StepwiseError {
    return new StepwiseError({ ...failureOf(body.error), body, status });
  }

  /** Creates the error from the `error` field alone, the only part that a saved run has. */
  static fromStepError(error: StepError): StepwiseError {
    return new StepwiseError(failureOf(error));
  }

  /** Returns the error in the form in which responses of the service, events and saved runs contain it. */
  toStepError(): StepError {
    return this.#error;
  }
}

const failureOf = ({ code, message, retryable, retry_after_ms, details }: StepError): Failure => ({
  // A newer service may send a code that this version does not list; callers can still show it.
  code: code as ErrorCode,
  message,
  retryable,
  retryAfterMs: retry_after_ms,
  details,
});
