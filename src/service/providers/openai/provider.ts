import OpenAI from 'openai';
import type { ModelTraits } from '../models/model-traits.js';
import type { Secret } from '../secret.js';
import type { Draft, Vendor } from '../vendor.js';
import { fromResponse } from './from-response.js';
import { fromStream } from './from-stream.js';
import { noCompletion, toError } from './to-error.js';
import { toRequest } from './to-request.js';

export interface OpenaiOptions {
  /** `openai`, or the name of a compatible upstream. */
  readonly name: string;
  /** Ends in `/v1`. */
  readonly url: string;
  readonly key: Secret | undefined;
  readonly traits: ModelTraits;
}

/** Chat Completions through the `openai` package, at OpenAI or any server that speaks the same. */
export function openaiVendor({ name, url, key, traits }: OpenaiOptions): Vendor {
  return {
    headers: () => (key ? { authorization: `Bearer ${key.reveal()}` } : {}),
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
 * Every option is explicit, so that no environment variable fills one in. The SDK never sees the key: the transport
 * sets the headers, and takes none from here (`OPENAI_CUSTOM_HEADERS` could have put anything into them).
 */
function post(baseURL: string, { body }: Draft, fetch: typeof globalThis.fetch): Promise<Response> {
  const client = new OpenAI({
    baseURL,
    fetch,
    apiKey: 'set by the transport',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    defaultHeaders: {},
    defaultQuery: {},
    fetchOptions: {},
    maxRetries: 0,
    logLevel: 'off',
    // The deadline is the transport's; this is the longest a timer can wait.
    timeout: 2 ** 31 - 1,
  });
  return client.post('/chat/completions', { body, stream: body['stream'] === true }).asResponse();
}
