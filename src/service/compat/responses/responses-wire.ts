import type { Wire } from '../wire.js';
import { readResponses } from './read-responses.js';
import { ResponsesStream } from './responses-stream.js';
import { writeResponse } from './write-response.js';

/** Reads and writes OpenAI's Responses API, as Open Responses specifies it. */
export const responsesWire: Wire = {
  endpoint: 'responses',
  async read(body, signal) {
    const { request, isStreamed, repeated } = await readResponses(body, signal);
    return {
      request,
      isStreamed,
      writeAnswer: (answer) => writeResponse(answer, repeated),
      openStream: (identity) => new ResponsesStream(identity, repeated),
    };
  },
};
