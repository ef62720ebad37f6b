import { type ErrorCode, errorCodes } from '../../error-codes.js';
import type { ErrorDetail, ErrorResponse, StepError } from '../../step.js';
import { actionAnswer } from './answers.js';
import { firstStep } from './requests.js';

/** Builds a failure that occurred before the request was read, so its fields are null (rule: null-never-empty). */
function unread(code: ErrorCode, more: Partial<StepError> = {}): ErrorResponse {
  return {
    ...actionAnswer,
    status: 'error',
    session_id: null,
    iterations_remaining: null,
    thought: null,
    action_details: null,
    updated_conversation_history: null,
    new_turns: [],
    parse: null,
    context_report: null,
    signals: null,
    usage: null,
    model: null,
    provider: null,
    finish_reason: null,
    finish_reason_raw: null,
    error: {
      code,
      message: errorCodes[code].message,
      retryable: errorCodes[code].retryable,
      provider: null,
      upstream_status: null,
      retry_after_ms: null,
      details: [],
      partial_text: null,
      ...more,
    },
  };
}

/** Builds a failure that occurred after the request was read, so it returns the history unchanged. */
function read(code: ErrorCode, more: Partial<StepError>): ErrorResponse {
  const { session_id, max_iterations_left } = firstStep;
  return {
    ...unread(code, more),
    session_id,
    iterations_remaining: max_iterations_left,
    updated_conversation_history: [],
  };
}

const noTokenLimit: ErrorDetail = {
  path: 'llm_config.tokenLimit',
  code: 'invalid_type',
  message: 'this field is required: a whole number',
};

/** An example body for each kind of failure: of the request, of its key, of the service, of a provider. */
export const failureExamples: Partial<Record<ErrorCode, ErrorResponse>> = {
  invalid_request: unread('invalid_request', { details: [noTokenLimit] }),
  missing_api_key: unread('missing_api_key'),
  method_not_allowed: unread('method_not_allowed'),
  upstream_rate_limited: read('upstream_rate_limited', {
    provider: 'openai',
    upstream_status: 429,
    retry_after_ms: 5_000,
  }),
  shutting_down: unread('shutting_down', { retry_after_ms: 2_000 }),
  internal_error: unread('internal_error'),
  upstream_timeout: read('upstream_timeout', { provider: 'openai' }),
};
