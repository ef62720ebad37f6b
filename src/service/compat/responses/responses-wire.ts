import type { Wire } from '../wire.js';
import { readResponses } from './read-responses.js';
import { writeResponsesFailure } from './responses-failure.js';
import { ResponsesStream } from './responses-stream.js';
import { writeResponse } from './write-response.js';

/** OpenAI's Responses, as Open Responses specifies them. */
export const responsesWire: Wire = {
  async read(body, signal) {
    const { request, isStreamed, repeated } = await readResponses(body, signal);
    return {
      request,
      isStreamed,
      writeAnswer: (answer) => writeResponse(answer, repeated),
      openStream: (identity) => new ResponsesStream(identity, repeated),
    };
  },
  writeFailure: writeResponsesFailure,
};
