import type { ProviderFailure } from '../../step/provider.js';
import { readErrorBody } from '../error-body.js';
import type { VendorError } from '../vendor.js';

/**
 * Failures by `error.code` and `error.type` (developers.openai.com/docs/guides/error-codes), Gemini's `error.status`,
 * and the codes of GitHub Models and Copilot, Kimi, DashScope, Z.ai, LiteLLM, llama.cpp, Mistral and Together.
 */
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
    exceed_context_size_error: 'context_length',
    tokens_limit_reached: 'context_length',
    model_max_prompt_tokens_exceeded: 'context_length',
    exceeded_current_quota_error: 'billing',
    Arrearage: 'billing',
    '1113': 'billing',
    '1211': 'model_not_found',
    '1261': 'context_length',
    budget_exceeded: 'billing',
    rate_limit_reached_error: 'rate_limited',
    engine_overloaded_error: 'overloaded',
    invalid_model: 'model_not_found',
    unknown_model: 'model_not_found',
    model_not_supported: 'model_not_found',
    model_not_available: 'model_not_found',
    model_decommissioned: 'model_not_found',
    key_model_access_denied: 'permission',
    team_model_access_denied: 'permission',
    user_model_access_denied: 'permission',
    org_model_access_denied: 'permission',
  } as const),
);

/** Reads an error body of OpenAI or of a compatible server. */
export function readError(body: string): VendorError {
  const { fields, ...rest } = readErrorBody(body);
  const { code, type, status } = fields;
  const codes = [code, type, status].filter((each) => typeof each === 'string');
  return { codes, ...rest };
}
