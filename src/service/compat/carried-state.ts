import { isObject } from '../../contract/fields.js';
import type { Warning } from '../../contract/step.js';

/**
 * State that a provider needs back travels where clients send a vendor's own state back verbatim: in the `data` of
 * `redacted_thinking` blocks and in the `encrypted_content` of reasoning items. The beginning tells it from a vendor's.
 */
const BEGINNING = 'stepwise.1.';

/** Writes a state as a text (rule: provider-state). */
export const writeState = (state: unknown): string =>
  BEGINNING + Buffer.from(JSON.stringify(state)).toString('base64');

/** Returns the state in a text; undefined if the text is not from this service. */
export function readState(data: string): Readonly<Record<string, unknown>> | undefined {
  if (!data.startsWith(BEGINNING)) return undefined;
  try {
    const state: unknown = JSON.parse(Buffer.from(data.slice(BEGINNING.length), 'base64').toString());
    return isObject(state) ? state : undefined;
  } catch {
    return undefined;
  }
}

/** Warning about reasoning in a conversation that another service signed or encrypted. */
export const foreignState: Warning = {
  code: 'provider_state_not_sent',
  message: 'Signed reasoning that this service did not pass on was left out of the conversation.',
};
