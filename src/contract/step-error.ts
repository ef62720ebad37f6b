import { type ErrorCode, errorCodes } from './error-codes.js';
import type { StepError } from './step.js';

/** The `error` field of a body: fixed text and retryability from the table, the rest null unless given. */
export function stepError(
  code: ErrorCode,
  given: Partial<Omit<StepError, 'code' | 'message' | 'retryable'>> = {},
): StepError {
  const { message, retryable } = errorCodes[code];
  return {
    code,
    message,
    retryable,
    provider: null,
    upstream_status: null,
    retry_after_ms: null,
    details: [],
    partial_text: null,
    ...given,
  };
}
