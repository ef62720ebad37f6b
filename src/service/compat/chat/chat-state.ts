import { isObject } from '../../../contract/fields.js';
import { readState, type VendorFields, writeState } from '../client-state.js';
import type { ChatMessage } from './chat-schema.js';

/**
 * Writes the provider state of a reply into `reasoning_details`, which OpenRouter's clients send back (rule:
 * compatible-state).
 */
export const detailsOf = (state: unknown) =>
  state === undefined
    ? {}
    : { reasoning_details: [{ type: 'reasoning.encrypted', format: 'stepwise', data: writeState(state) }] };

/** Writes the provider state of a call into `extra_content`, which Gemini's clients send back. */
export const extraContentOf = (state: unknown) =>
  state === undefined ? {} : { extra_content: { stepwise: { state: writeState(state) } } };

/**
 * Reads the provider state of a message: the state that `detailsOf` wrote, otherwise the reasoning text, which some
 * providers need back together with calls.
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
