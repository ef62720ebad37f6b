import { APIError } from 'openai/error';
import { z } from 'zod';
import { isObject } from '../../../contract/fields.js';
import type { ProviderFailure } from '../../step/provider.js';
import { parseJson, type VendorError, type VendorMessage } from '../vendor.js';

/** Failures by `error.code` and `error.type` (developers.openai.com/docs/guides/error-codes). */
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
  } as const),
);

/** Reads an error body with the vendor's SDK. A body that is not a JSON object is used as the message. */
export function readError(status: number, body: string): VendorError {
  const json = parseJson(body);
  const sdkError = isObject(json)
    ? APIError.generate(status, json, undefined, new Headers())
    : APIError.generate(status, {}, body, new Headers());
  const { code, type, param, message, error } = sdkError;
  return {
    codes: [code, type].filter((each) => typeof each === 'string'),
    status: Number.isInteger(code) ? Number(code) : undefined,
    parameter: typeof param === 'string' ? param : undefined,
    message,
    words: wordsOf(error),
  };
}

/** Schema of an error. Some compatible servers send only the sentence. */
const errorObjectSchema = z.union([
  z.string().transform((message) => ({ message, param: undefined })),
  z.object({ message: z.string(), param: z.string().nullish().catch(undefined) }),
]);

function wordsOf(error: unknown): VendorMessage | undefined {
  const { data } = errorObjectSchema.safeParse(error);
  return data && { message: data.message, parameter: data.param ?? undefined };
}
