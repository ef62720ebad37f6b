import type { Response } from 'express';
import { jsonParts } from '../../json/json-parts.js';

/** Writes a large value, a few items of its lists at a time and no faster than it is read (rule: loop-share). */
export async function writeJson(response: Response, value: object): Promise<void> {
  for await (const part of jsonParts(value)) if (!response.write(part)) await drained(response);
}

/** Resolves when the reader can take more, or is gone. */
export function drained(response: Response): Promise<void> {
  if (response.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}
