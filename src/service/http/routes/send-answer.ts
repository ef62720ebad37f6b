import type { Response } from 'express';
import { stateOf } from '../middleware/request-state.js';

/**
 * Sends the answer to an accepted request as JSON. Reserves memory for the answer until the caller has read it.
 * Throws `RequestRefused` if there is not enough memory (rule: overload).
 */
export function sendAnswer(response: Response, body: object): void {
  const bytes = Buffer.from(JSON.stringify(body));
  countAnswer(response, bytes.length);
  response.type('json').send(bytes);
}

/** Reserves memory for an answer that will be sent. Throws `RequestRefused` if there is not enough memory. */
export const countAnswer = (response: Response, bytes: number): void =>
  stateOf(response).slot?.countAnswer(bytes);
