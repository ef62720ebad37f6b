import { isObject } from '../../contract/fields.js';
import type { Turn } from '../../contract/history.js';
import type { Warning } from '../../contract/step.js';
import type { StateOrigin } from '../step/provider.js';

const PREFIX = 'stepwise-state.';

/**
 * Encodes a provider state as text, for a field of the answer that clients send back unchanged (rule:
 * compatible-state).
 */
export const writeState = (state: unknown): string =>
  PREFIX + Buffer.from(JSON.stringify(state)).toString('base64url');

/**
 * Reads a text that `writeState` wrote. Returns undefined for any other text, such as the state of another server.
 */
export function readState(text: unknown): unknown {
  if (typeof text !== 'string' || !text.startsWith(PREFIX)) return undefined;
  try {
    return JSON.parse(Buffer.from(text.slice(PREFIX.length), 'base64url').toString());
  } catch {
    return undefined;
  }
}

/**
 * Provider state from a vendor's own field, such as `reasoning_content`. It does not name the model that created it.
 */
export interface VendorFields {
  readonly vendorFields: Readonly<Record<string, unknown>>;
}

/**
 * Suffix of the id of each call that was sent to the client with a provider state. Clients send ids back unchanged
 * even if they drop the state.
 */
const MARK = '_swstate';

/** Returns the id of a call for the client, with the suffix `MARK` if the call has a provider state. */
export const markedId = (id: string, state: unknown): string => (state === undefined ? id : id + MARK);

const unmarked = (id: string): string => (id.endsWith(MARK) ? id.slice(0, -MARK.length) : id);

/**
 * Prepares the provider states in a conversation for the model that gets the request: removes `MARK` from ids, and
 * assigns states from vendors' own fields to this model. Warns about calls that were sent to the client with a state
 * and came back without it (rule: compatible-state).
 */
export function readStates(
  turns: readonly Turn[],
  origin: StateOrigin | undefined,
): { readonly turns: readonly Turn[]; readonly warnings: readonly Warning[] } {
  const lost = turns.filter(hasLostState).length;
  return {
    turns: turns.map((turn) => bindState(withoutMark(turn), origin)),
    warnings: lost > 0 ? [stateMissing(lost)] : [],
  };
}

const hasLostState = ({ toolCall, provider_state: state }: Turn): boolean =>
  state === undefined && toolCall?.id?.endsWith(MARK) === true;

function withoutMark(turn: Turn): Turn {
  const { toolCall, toolCallId } = turn;
  if (toolCall?.id) return { ...turn, toolCall: { ...toolCall, id: unmarked(toolCall.id) } };
  return toolCallId ? { ...turn, toolCallId: unmarked(toolCallId) } : turn;
}

const stateMissing = (count: number): Warning => ({
  code: 'provider_state_missing',
  message: `The client sent ${count === 1 ? 'a call' : `${count} calls`} back without the state of the provider, such as signed reasoning: the model goes on without it, and some providers refuse such a conversation.`,
});

/**
 * Adds the model that gets the request to a state from a vendor's own field, as the state itself names none. Removes
 * the state if this model is not called through Chat Completions.
 */
function bindState(turn: Turn, origin: StateOrigin | undefined): Turn {
  const { provider_state: state, ...rest } = turn;
  if (!isObject(state) || !isObject(state['vendorFields'])) return turn;
  return origin?.wire === 'chat'
    ? { ...turn, provider_state: { ...origin, ...state['vendorFields'] } }
    : rest;
}
