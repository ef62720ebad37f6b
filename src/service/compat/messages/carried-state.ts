import { isObject } from '../../../contract/fields.js';

/**
 * State that a provider needs back travels in the `data` of `redacted_thinking` blocks, which clients send back verbatim.
 * The beginning tells it from Anthropic's own.
 */
const BEGINNING = 'stepwise.1.';

/** Writes a state as the data of a block (rule: provider-state). */
export const writeState = (state: unknown): string =>
  BEGINNING + Buffer.from(JSON.stringify(state)).toString('base64');

/** Returns the state in the data of a block; undefined if the data is not from this service. */
export function readState(data: string): Readonly<Record<string, unknown>> | undefined {
  if (!data.startsWith(BEGINNING)) return undefined;
  try {
    const state: unknown = JSON.parse(Buffer.from(data.slice(BEGINNING.length), 'base64').toString());
    return isObject(state) ? state : undefined;
  } catch {
    return undefined;
  }
}
