import { APIError } from '@anthropic-ai/sdk/error';
import { isObject } from '../../../contract/fields.js';
import type { ProviderFailure } from '../../step/provider.js';
import { parseJson, type VendorError } from '../vendor.js';

/** Failures by `error.details.error_code` and `error.type`, as listed in the types of `@anthropic-ai/sdk` 1.12. */
export const errorCodes: ReadonlyMap<string, ProviderFailure> = new Map(
  Object.entries({
    enforced_spend_limit_reached: 'billing',
    contract_spend_limit_reached: 'billing',
    authentication_error: 'authentication',
    billing_error: 'billing',
    permission_error: 'permission',
    not_found_error: 'model_not_found',
    rate_limit_error: 'rate_limited',
    overloaded_error: 'overloaded',
    invalid_request_error: 'rejected',
    request_too_large: 'rejected',
  } as const),
);

/** Reads an error body with the vendor's SDK. */
export function readError(status: number, body: string): VendorError {
  const json = parseJson(body);
  const { errorCode, type, apiMessage } = APIError.generate(
    status,
    isObject(json) ? json : {},
    undefined,
    new Headers(),
  );
  const message = typeof apiMessage === 'string' ? apiMessage : '';
  return {
    codes: [errorCode, type].filter((each) => typeof each === 'string'),
    status: undefined,
    parameter: parameterIn(message),
    message,
    words: { message, parameter: undefined },
  };
}

/**
 * Finds the refused parameter in the message, the only place that names it. Anthropic calls the reasoning effort
 * `effort`.
 */
const parameterIn = (message: string): string | undefined =>
  /\b(?:output_config|effort)\b/.test(message) ? 'output_config' : message.match(/\bthinking\b/)?.[0];
