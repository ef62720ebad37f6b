import { writeOpenAiFailure } from '../openai-failure.js';
import type { Wire } from '../wire.js';
import { readChat } from './read-chat.js';
import { ChatStream, writeChat } from './write-chat.js';

/** OpenAI's Chat Completions. */
export const chatWire: Wire = {
  async read(body, signal) {
    const { request, isStreamed, includesUsage } = await readChat(body, signal);
    return {
      request,
      isStreamed,
      writeAnswer: writeChat,
      openStream: (identity) => new ChatStream(identity, includesUsage),
    };
  },
  writeFailure: writeOpenAiFailure,
};
