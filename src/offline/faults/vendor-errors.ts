/** One error in both vendors' formats. `anthropic` is the object under `error` in Anthropic's error body. */
export interface VendorError {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly openai: Readonly<{ message: string; type: string; param?: string; code?: string }>;
  readonly anthropic: Readonly<{ type: string; message: string; details?: Readonly<Record<string, string>> }>;
}

/** The vendors' errors; types and codes follow each vendor's error page. */
export const vendorErrors = {
  'bad-request': {
    status: 400,
    openai: { message: 'Invalid request.', type: 'invalid_request_error' },
    anthropic: { type: 'invalid_request_error', message: 'Invalid request.' },
  },
  'context-overflow': {
    status: 400,
    openai: {
      message:
        "This model's maximum context length is 128000 tokens. However, your messages resulted in 233153 tokens. Please reduce the length of the messages.",
      type: 'invalid_request_error',
      param: 'messages',
      code: 'context_length_exceeded',
    },
    anthropic: {
      type: 'invalid_request_error',
      message: 'prompt is too long: 233153 tokens > 200000 maximum',
    },
  },
  unauthorized: {
    status: 401,
    openai: {
      message: 'Incorrect API key provided.',
      type: 'invalid_request_error',
      code: 'invalid_api_key',
    },
    anthropic: { type: 'authentication_error', message: 'invalid bearer token' },
  },
  'payment-required': {
    status: 402,
    openai: { message: 'Insufficient balance.', type: 'billing_error', code: 'insufficient_balance' },
    anthropic: { type: 'billing_error', message: 'Your credit balance is too low.' },
  },
  forbidden: {
    status: 403,
    openai: {
      message: 'Country, region, or territory not supported.',
      type: 'request_forbidden',
      code: 'unsupported_country_region_territory',
    },
    anthropic: { type: 'permission_error', message: 'Your API key may not use this resource.' },
  },
  'not-found': {
    status: 404,
    openai: {
      message: 'The model does not exist or you do not have access to it.',
      type: 'invalid_request_error',
      code: 'model_not_found',
    },
    anthropic: { type: 'not_found_error', message: 'model: not found' },
  },
  'request-timeout': {
    status: 408,
    openai: { message: 'Request timed out.', type: 'server_error' },
    anthropic: { type: 'timeout_error', message: 'Request timed out.' },
  },
  conflict: {
    status: 409,
    openai: { message: 'The resource was updated by another request.', type: 'invalid_request_error' },
    anthropic: { type: 'conflict_error', message: 'Conflict.' },
  },
  'too-large': {
    status: 413,
    openai: { message: 'Request entity too large.', type: 'invalid_request_error' },
    anthropic: { type: 'request_too_large', message: 'Request exceeds the maximum size.' },
  },
  'rate-limited': {
    status: 429,
    headers: { 'retry-after': '1' },
    openai: {
      message: 'Rate limit reached for requests.',
      type: 'requests',
      code: 'rate_limit_exceeded',
    },
    anthropic: { type: 'rate_limit_error', message: 'This request would exceed your rate limit.' },
  },
  'quota-exhausted': {
    status: 429,
    openai: {
      message: 'You exceeded your current quota, please check your plan and billing details.',
      type: 'insufficient_quota',
      code: 'insufficient_quota',
    },
    anthropic: {
      type: 'rate_limit_error',
      message: 'Your spend limit is reached.',
      details: { error_code: 'enforced_spend_limit_reached' },
    },
  },
  'server-error': {
    status: 500,
    openai: { message: 'The server had an error while processing your request.', type: 'server_error' },
    anthropic: { type: 'api_error', message: 'Internal server error' },
  },
  'bad-gateway': {
    status: 502,
    openai: { message: 'Bad gateway.', type: 'server_error' },
    anthropic: { type: 'api_error', message: 'Bad gateway' },
  },
  unavailable: {
    status: 503,
    openai: {
      message: 'The engine is currently overloaded, please try again later.',
      type: 'server_error',
      code: 'server_is_overloaded',
    },
    anthropic: { type: 'api_error', message: 'Service unavailable' },
  },
  'gateway-timeout': {
    status: 504,
    openai: { message: 'Gateway timeout.', type: 'server_error' },
    anthropic: { type: 'timeout_error', message: 'Request timed out' },
  },
  overloaded: {
    status: 529,
    openai: { message: 'Overloaded.', type: 'server_error', code: 'server_is_overloaded' },
    anthropic: { type: 'overloaded_error', message: 'Overloaded' },
  },
} as const satisfies Readonly<Record<string, VendorError>>;

/**
 * Names of the vendors' own errors, such as `rate-limited`. Each has the status and body of the vendor whose API was
 * called.
 */
export type VendorErrorName = keyof typeof vendorErrors;

/**
 * Returns the error for an unsupported parameter. OpenAI names the parameter in `param`, Anthropic only in the
 * message.
 */
export const unsupportedParameter = (parameter: string): VendorError => ({
  status: 400,
  openai: {
    message: `Unsupported parameter: '${parameter}' is not supported with this model.`,
    type: 'invalid_request_error',
    param: parameter,
    code: 'unsupported_parameter',
  },
  anthropic: { type: 'invalid_request_error', message: `\`${parameter}\` is not supported for this model.` },
});

/** Returns the error of a gateway that repeats the rejected key in the message and in a header. */
export const echoedKey = (authorization: string): VendorError => ({
  ...vendorErrors.unauthorized,
  headers: { 'www-authenticate': authorization },
  openai: { ...vendorErrors.unauthorized.openai, message: `Incorrect API key provided: ${authorization}` },
  anthropic: { type: 'authentication_error', message: `invalid bearer token: ${authorization}` },
});

/** Returns the error for any other rejected request, with a message of our own. */
export const refusedRequest = (message: string): VendorError => ({
  status: 400,
  openai: { message, type: 'invalid_request_error' },
  anthropic: { type: 'invalid_request_error', message },
});
