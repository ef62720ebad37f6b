import { isObject } from '../../../contract/fields.js';
import type { ProviderFailure } from '../../step/provider.js';
import { readErrorBody } from '../error-body.js';
import type { VendorError } from '../vendor.js';

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

/** Reads an error body. If no field of the error names the refused parameter, looks for it in the message. */
export function readError(body: string): VendorError {
  const { fields, message, parameter, ...rest } = readErrorBody(body);
  const { details, type } = fields;
  const code = isObject(details) ? details['error_code'] : undefined;
  return {
    codes: [code, type].filter((each) => typeof each === 'string'),
    parameter: parameter ?? parameterIn(message),
    message,
    ...rest,
  };
}

/**
 * Finds the refused parameter in the error message, the only place that names it. Anthropic's name for the
 * reasoning effort is `effort`.
 */
function parameterIn(message: string): string | undefined {
  if (/\b(?:output_config|effort)\b/.test(message)) return 'output_config';
  return message.match(/\btemperature\b/)?.[0] ?? message.match(/\bthinking\b/)?.[0];
}
