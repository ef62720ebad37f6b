import { isObject } from '../../contract/fields.js';
import type { Turn } from '../../contract/history.js';
import type { StateOrigin } from '../step/provider.js';

const PREFIX = 'stepwise-state.';

/** Writes a provider's state as an opaque text, for the field of a wire that clients send back (rule: compatible-state). */
export const writeState = (state: unknown): string =>
  PREFIX + Buffer.from(JSON.stringify(state)).toString('base64url');

/** Reads such a text; undefined if it is none, which the client may have from elsewhere. */
export function readState(text: unknown): unknown {
  if (typeof text !== 'string' || !text.startsWith(PREFIX)) return undefined;
  try {
    return JSON.parse(Buffer.from(text.slice(PREFIX.length), 'base64url').toString());
  } catch {
    return undefined;
  }
}

/** State in a field that a vendor named itself, whose maker is unknown. */
export interface VendorFields {
  readonly vendorFields: Readonly<Record<string, unknown>>;
}

/**
 * Binds the state in a vendor's own fields to the model that gets the request, because only that model can have written
 * it; drops it for a model of another wire.
 */
export function bindStates(turns: readonly Turn[], origin: StateOrigin | undefined): readonly Turn[] {
  return turns.map((turn) => {
    const { provider_state: state, ...rest } = turn;
    if (!isObject(state) || !isObject(state['vendorFields'])) return turn;
    return origin?.wire === 'chat'
      ? { ...turn, provider_state: { ...origin, ...state['vendorFields'] } }
      : rest;
  });
}
