import { APIError } from 'openai/error';
import { z } from 'zod';
import type { ProviderFailure } from '../../step/provider.js';
import { type AnsweredRequest, classifyFailure, classifyInside } from '../upstream/classify-failure.js';
import { type FailedAttempt, invalidAnswer } from '../upstream/failed-attempt.js';
import type { VendorMessage } from '../upstream/vendor-words.js';

/** `error.code` and `error.type` (developers.openai.com/docs/guides/error-codes). */
const errorCodes: ReadonlyMap<string, ProviderFailure> = new Map(
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

/** The failed attempt that an error of the SDK means; undefined if the provider did not answer. */
export function toError(error: unknown, request: Omit<AnsweredRequest, 'codes'>): FailedAttempt | undefined {
  if (!(error instanceof APIError) || error.status === undefined) return undefined;
  const { status, code, type, param } = error;
  return classifyFailure(
    {
      status,
      headers: error.headers ?? new Headers(),
      codes: [code, type].filter((each) => typeof each === 'string'),
      parameter: typeof param === 'string' ? param : undefined,
      message: error.message,
      words: wordsOf(error.error),
    },
    { ...request, codes: errorCodes },
  );
}

/** Some compatible servers send the sentence alone. */
const errorObjectSchema = z.union([
  z.string().transform((message) => ({ message, param: undefined })),
  z.object({ message: z.string(), param: z.string().nullish().catch(undefined) }),
]);

function wordsOf(body: unknown): VendorMessage | undefined {
  const { data } = errorObjectSchema.safeParse(body);
  return data && { message: data.message, parameter: data.param ?? undefined };
}

const errorBodySchema = z.object({
  error: z.object({
    code: z.union([z.string(), z.number()]).nullish().catch(null),
    type: z.string().nullish().catch(null),
    message: z.string().nullish().catch(null),
    param: z.string().nullish().catch(null),
  }),
});

/** What a body of a 200 is that is no completion: an error all the same, or nothing we can read. */
export function noCompletion(json: unknown, request: Omit<AnsweredRequest, 'codes' | 'key'>): FailedAttempt {
  const { data } = errorBodySchema.safeParse(json);
  if (!data) return invalidAnswer(request.provider, 200);
  const { code, type, message, param } = data.error;
  const error = {
    codes: [code, type].filter((each) => typeof each === 'string'),
    status: typeof code === 'number' ? code : undefined,
    parameter: param ?? undefined,
    message: message ?? '',
  };
  return classifyInside(error, { ...request, codes: errorCodes });
}
