import type { Response } from 'express';
import { stateOf } from '../middleware/request-state.js';

/**
 * Sends the answer to an accepted request as JSON. Counts its bytes until the caller has read them. Throws
 * `RequestRefused` if there is no memory for them (rule: overload).
 */
export function sendAnswer(response: Response, body: object): void {
  const bytes = Buffer.from(JSON.stringify(body));
  countAnswer(response, bytes.length);
  response.type('json').send(bytes);
}

/** Counts an answer that will be sent. Throws `RequestRefused` if there is no memory for it. */
export const countAnswer = (response: Response, bytes: number): void =>
  stateOf(response).deadline?.countAnswer(bytes);
