import { type OnDemand, onDemand } from '../../../event-loop/on-demand.js';
import type { ModelTraits } from '../models/model-traits.js';
import type { Secret } from '../secret.js';
import type { Vendor } from '../vendor.js';
import type { ChatClient } from './chat-client.js';
import { fromResponse } from './from-response.js';
import { fromStream } from './from-stream.js';
import { noCompletion, toError } from './to-error.js';
import { toRequest, wordRequest } from './to-request.js';

export interface OpenaiOptions {
  /** `openai`, or the name of a compatible upstream. */
  readonly name: string;
  readonly client: OnDemand<ChatClient>['get'];
  readonly key: Secret | undefined;
  readonly traits: ModelTraits;
}

/** The client of one upstream, whose URL ends in `/v1`. The SDK is loaded when the client is first asked for. */
export function openaiClient(url: string | (() => Promise<string>)): OpenaiOptions['client'] {
  return onDemand(async () => {
    const { ChatClient } = await import('./chat-client.js');
    return new ChatClient(typeof url === 'string' ? url : await url());
  }).get;
}

/** Chat Completions through the `openai` package, at OpenAI or any server that speaks the same. */
export function openaiVendor({ name, client, key, traits }: OpenaiOptions): Vendor {
  return {
    headers: () => (key ? { authorization: `Bearer ${key.reveal()}` } : {}),
    word: (request) => wordRequest(request, traits),
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
