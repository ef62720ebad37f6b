import type { ModelTraits } from '../models/model-traits.js';
import type { Vendor } from '../vendor.js';
import { ChatReply } from './chat/chat-reply.js';
import * as chat from './chat/to-request.js';
import { errorCodes, readError } from './read-error.js';
import { ResponsesReply } from './responses/responses-reply.js';
import * as responses from './responses/to-request.js';

/** Creates the adapter for Chat Completions, at OpenAI or any compatible server. */
export function openaiVendor(traits: ModelTraits): Vendor {
  return {
    path: '/chat/completions',
    errorCodes,
    headers: {},
    mapPrompt: (request) => chat.mapPrompt(request, traits),
    toRequest: (prompt, settings, options) => chat.toRequest(prompt, settings, { traits, ...options }),
    startReply: (request, cap) => new ChatReply(cap, request),
    readError,
  };
}

/** Creates the adapter for the Responses API, at OpenAI or any compatible server. */
export function responsesVendor(traits: ModelTraits): Vendor {
  return {
    path: '/responses',
    errorCodes,
    headers: {},
    mapPrompt: (request) => responses.mapPrompt(request, traits),
    toRequest: (prompt, settings, options) => responses.toRequest(prompt, settings, { traits, ...options }),
    startReply: (_, cap) => new ResponsesReply(cap),
    readError,
  };
}
