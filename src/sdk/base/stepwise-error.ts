import type { ErrorCode } from '../../contract/error-codes.js';
import type { ErrorResponse, StepError } from '../../contract/step.js';
import { stepError } from '../../conversation/blank-step.js';

/** What can go wrong before the service has said anything. */
export type ConnectionErrorCode = 'service_unreachable' | 'service_timeout' | 'invalid_answer';

/** What a `StepwiseError` is made of. */
export interface Failure {
  /** One of the service's codes, or what went wrong on the way to it. */
  readonly code: ErrorCode | ConnectionErrorCode;
  /** A fixed text, without secrets. */
  readonly message: string;
  /** True where the same request may succeed later. */
  readonly retryable: boolean;
  /** HTTP status of the answer. */
  readonly status?: number | undefined;
  /** Milliseconds to wait before the next try. */
  readonly retryAfterMs?: number | null | undefined;
  /** The whole error body. */
  readonly body?: ErrorResponse | undefined;
}

/** The service refused or failed, or could not be reached. Carries no key: messages are fixed texts. */
export class StepwiseError extends Error {
  override readonly name = 'StepwiseError';
  /** One of the service's codes (rule: error-table), or what went wrong on the way to it. */
  readonly code: ErrorCode | ConnectionErrorCode;
  /** HTTP status; null where no answer came. */
  readonly status: number | null;
  /** True where the same request may succeed later. */
  readonly retryable: boolean;
  /** Milliseconds to wait before the next try; null where the service says none. */
  readonly retryAfterMs: number | null;
  /** The whole error body, where the service sent one. */
  readonly body: ErrorResponse | null;

  constructor(failure: Failure) {
    super(failure.message);
    this.code = failure.code;
    this.status = failure.status ?? null;
    this.retryable = failure.retryable;
    this.retryAfterMs = failure.retryAfterMs ?? null;
    this.body = failure.body ?? null;
  }

  /** The error of a body that follows the contract. */
  static fromBody(body: ErrorResponse, status?: number): StepwiseError {
    return new StepwiseError({ ...failureOf(body.error), body, status });
  }

  /** The same from the `error` field alone, as a saved run keeps it. */
  static fromStepError(error: StepError): StepwiseError {
    return new StepwiseError(failureOf(error));
  }

  /** The same facts as the wire's error, for events and saved runs. */
  toStepError(): StepError {
    return this.body?.error ?? stepError(this, { retry_after_ms: this.retryAfterMs });
  }
}

const failureOf = ({ code, message, retryable, retry_after_ms }: StepError): Failure => ({
  // The contract lists the codes; one that a newer service adds is still a string to show.
  code: code as ErrorCode,
  message,
  retryable,
  retryAfterMs: retry_after_ms,
});
