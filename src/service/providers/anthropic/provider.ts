import type { ModelTraits } from '../models/model-traits.js';
import type { Vendor } from '../vendor.js';
import { MessagesReply } from './messages-reply.js';
import { errorCodes, readError } from './read-error.js';
import { mapPrompt, toRequest } from './to-request.js';

/** The API version that the pinned SDK's types describe. A test compares it with the version that the SDK sends. */
export const apiVersion = '2026-10-21';

/** Creates the adapter for Anthropic's Messages API. */
export function anthropicVendor(traits: ModelTraits): Vendor {
  return {
    path: '/v1/messages',
    errorCodes,
    headers: { 'anthropic-version': apiVersion },
    mapPrompt,
    toRequest: (prompt, settings, options) => toRequest(prompt, settings, { traits, ...options }),
    startReply: (_, cap) => new MessagesReply(cap),
    readError,
  };
}
