import { isObject } from '../../../contract/fields.js';
import { readState, type VendorFields, writeState } from '../client-state.js';
import type { ChatMessage } from './chat-schema.js';

/** Writes the state of a reply into `reasoning_details`, as OpenRouter's clients send it back (rule: compatible-state). */
export const detailsOf = (state: unknown) =>
  state === undefined
    ? {}
    : { reasoning_details: [{ type: 'reasoning.encrypted', format: 'stepwise', data: writeState(state) }] };

/** Writes the state of a call into `extra_content`, as Gemini's clients send it back. */
export const extraContentOf = (state: unknown) =>
  state === undefined ? {} : { extra_content: { stepwise: { state: writeState(state) } } };

/**
 * Reads the state of a message: what `detailsOf` wrote, else the text of the reasoning, which some providers need back
 * beside calls.
 */
export function messageState({ reasoning_details: details, reasoning_content: text }: ChatMessage): unknown {
  const entries = Array.isArray(details) ? details.filter(isObject) : [];
  const [own] = entries.flatMap(({ data }) => readState(data) ?? []);
  const fields: VendorFields | undefined =
    text === undefined ? undefined : { vendorFields: { reasoning_content: text } };
  return own ?? fields;
}

type ToolCall = NonNullable<ChatMessage['tool_calls']>[number];

/** Reads the state that `extraContentOf` wrote. */
export function callState({ extra_content: content }: ToolCall): unknown {
  const own = isObject(content) ? content['stepwise'] : undefined;
  return isObject(own) ? readState(own['state']) : undefined;
}
