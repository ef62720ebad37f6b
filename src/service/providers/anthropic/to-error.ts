import { APIError } from '@anthropic-ai/sdk/error';
import { z } from 'zod';
import type { ProviderFailure } from '../../step/provider.js';
import { type AnsweredRequest, classifyFailure, classifyInside } from '../upstream/classify-failure.js';
import { type FailedAttempt, invalidAnswer } from '../upstream/failed-attempt.js';

/** `error.details.error_code` and `error.type`, as the types of `@anthropic-ai/sdk` 1.12 list them. */
const errorCodes: ReadonlyMap<string, ProviderFailure> = new Map(
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

/** The failed attempt that an error of the SDK means; undefined if the provider did not answer. */
export function toError(error: unknown, request: Omit<AnsweredRequest, 'codes'>): FailedAttempt | undefined {
  if (!(error instanceof APIError) || error.status === undefined) return undefined;
  const { status, errorCode, type } = error;
  const message = typeof error.apiMessage === 'string' ? error.apiMessage : '';
  return classifyFailure(
    {
      status,
      headers: error.headers ?? new Headers(),
      codes: [errorCode, type].filter((each) => typeof each === 'string'),
      parameter: parameterIn(message),
      message,
      words: { message, parameter: undefined },
    },
    { ...request, codes: errorCodes },
  );
}

/** There is no field for it: the parameter stands in the sentence, the effort by its own name. */
const parameterIn = (message: string): string | undefined =>
  /\b(?:output_config|effort)\b/.test(message) ? 'output_config' : message.match(/\bthinking\b/)?.[0];

const errorBodySchema = z.object({
  type: z.literal('error'),
  error: z
    .object({
      type: z.string().nullish().catch(null),
      message: z.string().nullish().catch(null),
      details: z.object({ error_code: z.string().nullish() }).nullish().catch(null),
    })
    .catch({}),
});

/** What a body of a 200 is that is no completion: an error all the same, or nothing we can read. */
export function noCompletion(json: unknown, request: Omit<AnsweredRequest, 'codes' | 'key'>): FailedAttempt {
  const { data } = errorBodySchema.safeParse(json);
  if (!data) return invalidAnswer(request.provider, 200);
  const { type, details } = data.error;
  const message = data.error.message ?? '';
  const error = {
    codes: [details?.error_code, type].filter((each) => typeof each === 'string'),
    status: undefined,
    parameter: parameterIn(message),
    message,
  };
  return classifyInside(error, { ...request, codes: errorCodes });
}
