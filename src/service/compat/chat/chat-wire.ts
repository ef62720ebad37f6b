import type { Wire } from '../wire.js';
import { readChat } from './read-chat.js';
import { ChatStream, writeChat } from './write-chat.js';

/** Reads and writes OpenAI's Chat Completions API. */
export const chatWire: Wire = {
  endpoint: 'chat',
  async read(body, signal) {
    const { request, isStreamed, includesUsage } = await readChat(body, signal);
    return {
      request,
      isStreamed,
      writeAnswer: writeChat,
      openStream: (identity) => new ChatStream(identity, includesUsage),
    };
  },
};
