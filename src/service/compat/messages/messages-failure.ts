import type { FailureWriter } from '../wire.js';

/**
 * Writes a failure in Anthropic's shape (rule: compatible-errors). Anthropic's clients retry requests that failed
 * with 408, 409, 429 or 5xx.
 */
export const writeMessagesFailure: FailureWriter = (wireFailure) => {
  const { failure, status, message, param, tooLong, requestId } = wireFailure;
  const sent = tooLong || status === 422 ? 400 : status;
  const error = tooLong
    ? {
        type: 'invalid_request_error',
        message: `prompt is too long: ${tooLong.promptTokens} tokens > ${tooLong.maxPromptTokens} maximum`,
      }
    : {
        type: typeOf(sent),
        message,
        code: failure.code,
        ...(param === 'thread' && { details: threadUnsupported }),
      };
  return { status: sent, body: { type: 'error', error, request_id: requestId } };
};

/** Details by which the tool runners of Anthropic's SDKs know to send the whole conversation with each request. */
const threadUnsupported = { error_code: 'thread_unsupported_request', unsupported: ['thread'] };

const types: Readonly<Record<number, string>> = {
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  503: 'overloaded_error',
  504: 'timeout_error',
};

const typeOf = (status: number): string =>
  types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error');
