import type { Response } from 'express';
import { shortJsonBytes } from '../../json/json-parts.js';
import { writeJson } from './write-json.js';

/** Answers with a value as JSON. */
export async function sendJson(response: Response, value: object): Promise<void> {
  response.setHeader('Content-Type', 'application/json; charset=utf-8');
  const bytes = shortJsonBytes(value);
  if (bytes) {
    response.end(bytes); // as bytes: a socket is slow to make them of a string
    return;
  }
  await writeJson(response, value);
  response.end();
}
