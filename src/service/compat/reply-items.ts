import type { ConversationCall, ConversationItem } from '../../conversation/convert/conversation-items.js';

/** A part of a reply besides its text. */
type ReplyPart =
  | { readonly state: unknown }
  | { readonly call: Pick<ConversationCall, 'id' | 'name' | 'args'> };

/**
 * Returns the items of a reply. A provider state belongs to the call after it, or to the text if the reply has no
 * calls. A state after the last call is dropped.
 */
export function replyItems(text: string, parts: readonly ReplyPart[]): ConversationItem[] {
  let state: unknown;
  const calls = parts.flatMap((part) => {
    if ('state' in part) {
      state = part.state ?? state;
      return [];
    }
    const call = { ...part.call, origin: null, ...withState(state) };
    state = undefined;
    return [call];
  });
  if (calls.length > 0) return [{ type: 'calls', text, calls }];
  return text === '' ? [] : [{ type: 'text', role: 'assistant', text, origin: null, ...withState(state) }];
}

const withState = (state: unknown) => (state === undefined ? {} : { providerState: state });
