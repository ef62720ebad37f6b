import type { ModelTraits } from '../models/model-traits.js';
import type { Vendor } from '../vendor.js';
import { ChatReply } from './chat/chat-reply.js';
import { mapPrompt, toRequest } from './chat/to-request.js';
import { errorCodes, readError } from './read-error.js';

/** Adapter for Chat Completions, at OpenAI or any compatible server. */
export function openaiVendor(traits: ModelTraits): Vendor {
  return {
    wire: 'chat',
    path: '/chat/completions',
    errorCodes,
    headers: {},
    mapPrompt: (request) => mapPrompt(request, traits),
    toRequest: (prompt, settings, options) => toRequest(prompt, settings, { traits, ...options }),
    startReply: (request, cap) => new ChatReply(request, cap),
    readError,
  };
}
