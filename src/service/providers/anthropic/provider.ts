import { type OnDemand, onDemand } from '../../../event-loop/on-demand.js';
import type { ModelTraits } from '../models/model-traits.js';
import type { Secret } from '../secret.js';
import type { Vendor } from '../vendor.js';
import { fromResponse } from './from-response.js';
import { fromStream } from './from-stream.js';
import type { MessagesClient } from './messages-client.js';
import { noCompletion, toError } from './to-error.js';
import { toRequest, wordRequest } from './to-request.js';

/** The version of the API that the pinned SDK's types describe; a test compares it with what the SDK sends. */
export const apiVersion = '2026-10-21';

export interface AnthropicOptions {
  readonly name: string;
  readonly client: OnDemand<MessagesClient>['get'];
  readonly key: Secret | undefined;
  readonly traits: ModelTraits;
}

/** The client of one upstream, whose URL is without `/v1`. The SDK is loaded when the client is first asked for. */
export const anthropicClient = (url: string): AnthropicOptions['client'] =>
  onDemand(async () => new (await import('./messages-client.js')).MessagesClient(url)).get;

/** Messages through the `@anthropic-ai/sdk` package. */
export function anthropicVendor({ name, client, key, traits }: AnthropicOptions): Vendor {
  return {
    headers: () => ({
      'anthropic-version': apiVersion,
      ...(key && { authorization: `Bearer ${key.reveal()}` }),
    }),
    word: wordRequest,
    draft: (wording, terms, options) => toRequest(wording, terms, { traits, ...options }),
    sdk: client,
    readError: (error, { strippable, constraint }) =>
      toError(error, { provider: name, strippable, constraint, key }),
    async readAnswer(json, draft) {
      const completion = await fromResponse(json, draft);
      if (!completion) throw noCompletion(json, { ...draft, provider: name });
      return completion;
    },
    readStream: (events, draft) => fromStream(events, draft, name),
  };
}
