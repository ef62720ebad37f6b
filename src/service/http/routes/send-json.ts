import type { Response } from 'express';
import { stateOf } from '../middleware/request-state.js';
import { isShort, writeJson } from './write-json.js';

/** Answers with a value as JSON. */
export async function sendJson(response: Response, value: object): Promise<void> {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  if (isShort(value, stateOf(response))) {
    response.end(JSON.stringify(value));
    return;
  }
  await writeJson(response, value);
  response.end();
}
