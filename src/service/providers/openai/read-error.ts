import type { ProviderFailure } from '../../step/provider.js';
import { readErrorBody } from '../error-body.js';
import type { VendorError } from '../vendor.js';

/** Failures by `error.code` and `error.type` (developers.openai.com/docs/guides/error-codes), and Gemini's `error.status`. */
export const errorCodes: ReadonlyMap<string, ProviderFailure> = new Map(
  Object.entries({
    invalid_api_key: 'authentication',
    model_not_found: 'model_not_found',
    insufficient_quota: 'billing',
    credit_balance_exhausted: 'billing',
    billing_hard_limit_reached: 'billing',
    billing_not_active: 'billing',
    rate_limit_exceeded: 'rate_limited',
    slow_down: 'overloaded',
    server_is_overloaded: 'overloaded',
    context_length_exceeded: 'context_length',
    invalid_request_error: 'rejected',
    UNAUTHENTICATED: 'authentication',
    PERMISSION_DENIED: 'permission',
    NOT_FOUND: 'model_not_found',
    RESOURCE_EXHAUSTED: 'rate_limited',
    UNAVAILABLE: 'overloaded',
  } as const),
);

/** Reads an error body of OpenAI or of a compatible server. */
export function readError(body: string): VendorError {
  const { fields, ...rest } = readErrorBody(body);
  const { code, type, status } = fields;
  const codes = [code, type, status].filter((each) => typeof each === 'string');
  return { codes, status: statusOf(code), ...rest };
}

/** Gateways give an HTTP status as the code. */
function statusOf(code: unknown): number | undefined {
  const status = typeof code === 'string' && /^\d{3}$/.test(code) ? Number(code) : code;
  return Number.isInteger(status) ? Number(status) : undefined;
}
