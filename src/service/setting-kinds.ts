import { type Stats, statSync } from 'node:fs';
import { z } from 'zod';

/** As text or as a number. */
export function wholeNumber(min: number, max: number) {
  const error = `expected a whole number from ${min} to ${max}`;
  const text = z
    .string()
    .regex(/^\d{1,10}$/, error)
    .transform(Number);
  return z.union([z.number(), text], { error }).pipe(z.int({ error }).min(min, error).max(max, error));
}

export const httpUrl = z.url({ protocol: /^https?$/, error: 'expected an http or https URL' });

export const isFile = (path: string): boolean => lookAt(path)?.isFile() ?? false;
export const isFolder = (path: string): boolean => lookAt(path)?.isDirectory() ?? false;

/** Undefined if nothing is there that can be reached: past a loop of links, too long a name, a closed folder. */
function lookAt(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}

/** Whether its client can use a URL: with a host, at most the number of a database, percent signs that encode something. */
export function isRedisUrl(text: string): boolean {
  const { hostname, pathname, username, password } = new URL(text);
  return hostname !== '' && /^(?:\/\d{0,9})?$/.test(pathname) && [username, password].every(isEncoded);
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
