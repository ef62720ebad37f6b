export type { ErrorCode } from './wire-types.js';

/** The properties of an error code (rule: error-table). `retryable` is true if the same request may succeed later. */
interface ErrorRow {
  readonly status: number;
  readonly retryable: boolean;
  readonly message: string;
}

/**
 * All failures of the service, by code. Messages are fixed texts, so that no text of a provider or a parser
 * reaches a caller.
 */
export const errorCodes = {
  invalid_json: row(400, 'The request body is not valid JSON.'),
  invalid_request: row(400, 'The request does not match the contract; see details.'),
  unsupported_model: row(
    400,
    'No provider is known for this model; set llm_config.provider to a configured one.',
  ),
  unauthenticated: row(401, 'A valid bearer token of this service is required.'),
  forbidden: row(403, 'This is not allowed; see details.'),
  missing_api_key: row(401, 'This model needs a key: send user_api_keys.llmKey or the header X-LLM-API-Key.'),
  malformed_api_key: row(401, 'The model key must be 8 to 8192 printable ASCII characters without spaces.'),
  not_found: row(404, 'There is nothing at this path; see /docs.'),
  method_not_allowed: row(405, 'The path does not answer to this method; see the Allow header.'),
  request_timeout: row(408, 'The request arrived too slowly.', 'retryable'),
  request_too_large: row(413, 'The request body is larger than this service accepts.'),
  unsupported_media_type: row(415, 'The body must be application/json in UTF-8, without content encoding.'),
  token_budget_exceeded: row(422, 'Even the shortest prompt does not fit the token budget; see details.'),
  upstream_context_length_exceeded: row(422, "The prompt is longer than the model's context window."),
  upstream_rejected_request: row(422, 'The provider refused the request.'),
  upstream_authentication_failed: row(401, 'The provider did not accept the model key.'),
  upstream_permission_denied: row(403, 'The model key does not allow this at the provider.'),
  upstream_model_not_found: row(404, 'The provider does not know this model.'),
  upstream_billing: row(402, 'The account behind the model key has no credit or has reached its limit.'),
  upstream_rate_limited: row(429, 'The provider limits the rate of requests.', 'retryable'),
  upstream_error: row(502, 'The provider failed.', 'retryable'),
  upstream_invalid_response: row(502, 'The provider sent an answer that cannot be used.', 'retryable'),
  upstream_unreachable: row(502, 'The provider could not be reached, or the connection broke.', 'retryable'),
  upstream_overloaded: row(503, 'The provider is overloaded.', 'retryable'),
  overloaded: row(503, 'This service is overloaded.', 'retryable'),
  shutting_down: row(503, 'This service is shutting down.', 'retryable'),
  rate_limited: row(429, 'Too many requests to this service.', 'retryable'),
  upstream_timeout: row(504, 'The provider did not answer before the deadline.', 'retryable'),
  internal_error: row(500, 'Something failed inside the service; quote the request id.', 'retryable'),
  upstream_refusal: row(200, 'The model refused to answer.'),
  output_truncated: row(200, 'The output limit cut the action off; raise maxOutputTokens or the reserve.'),
  empty_response: row(200, 'The model answered nothing.', 'retryable'),
  iterations_exhausted: row(200, 'max_iterations_left is 0: no model call was made.'),
} as const satisfies Record<string, ErrorRow>;

function row(status: number, message: string, retryable?: 'retryable'): ErrorRow {
  return { status, message, retryable: retryable === 'retryable' };
}
