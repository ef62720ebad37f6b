import type { Wire } from '../wire.js';
import { readMessages } from './read-messages.js';
import { MessagesStream, writeMessage } from './write-messages.js';

/** Reads and writes Anthropic's Messages API. */
export const messagesWire: Wire = {
  endpoint: 'messages',
  async read(body, signal) {
    const { request, isStreamed } = await readMessages(body, signal);
    return {
      request,
      isStreamed,
      writeAnswer: writeMessage,
      openStream: (identity) => new MessagesStream(identity),
    };
  },
};
