import Anthropic from '@anthropic-ai/sdk';
import type { ModelTraits } from '../models/model-traits.js';
import type { Secret } from '../secret.js';
import type { Draft, Vendor } from '../vendor.js';
import { fromResponse } from './from-response.js';
import { fromStream } from './from-stream.js';
import { noCompletion, toError } from './to-error.js';
import { toRequest } from './to-request.js';

/** The version of the API that the pinned SDK's types describe; a test compares it with what the SDK sends. */
export const apiVersion = '2026-10-21';

export interface AnthropicOptions {
  readonly name: string;
  /** Without `/v1`. */
  readonly url: string;
  readonly key: Secret | undefined;
  readonly traits: ModelTraits;
}

/** Messages through the `@anthropic-ai/sdk` package. */
export function anthropicVendor({ name, url, key, traits }: AnthropicOptions): Vendor {
  return {
    headers: () => ({
      'anthropic-version': apiVersion,
      ...(key && { authorization: `Bearer ${key.reveal()}` }),
    }),
    draft: (request, options) => toRequest(request, traits, options),
    post: (draft, fetch) => post(url, draft, fetch),
    readError: (error, { strippable }) => toError(error, { provider: name, strippable, key }),
    readAnswer(json, draft) {
      const completion = fromResponse(json, draft);
      if (!completion) throw noCompletion(json, name);
      return completion;
    },
    readStream: (events, draft) => fromStream(events, draft, name),
  };
}

/**
 * As with OpenAI's: every option explicit, the key and the headers left to the transport. `post` instead of
 * `messages.create`, which warns of deprecated models on the console and guesses a timeout from `max_tokens`.
 */
function post(baseURL: string, { body }: Draft, fetch: typeof globalThis.fetch): Promise<Response> {
  const client = new Anthropic({
    baseURL,
    fetch,
    apiKey: 'set by the transport',
    authToken: null,
    webhookKey: null,
    openTelemetry: false,
    defaultHeaders: {},
    defaultQuery: {},
    fetchOptions: {},
    maxRetries: 0,
    logLevel: 'off',
    timeout: 2 ** 31 - 1,
  });
  return client.post('/v1/messages', { body, stream: body['stream'] === true }).asResponse();
}
