import { statSync } from 'node:fs';
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

export function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
}
