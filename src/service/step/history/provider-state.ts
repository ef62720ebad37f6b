import { isObject } from '../../../contract/fields.js';
import type { Warning } from '../../../contract/step.js';
import type { ActionUnit, Unit } from '../../../conversation/units.js';
import type { StateOrigin } from '../provider.js';
import type { Situation } from '../types.js';

/** Maximum size of the provider state of one turn, as JSON in UTF-8. */
const MAX_STATE_BYTES = 256 * 2 ** 10;

export const isTooLarge = (state: unknown): boolean =>
  Buffer.byteLength(JSON.stringify(state)) > MAX_STATE_BYTES;

/**
 * Removes provider states that come from another model or upstream, since this model cannot use them, and warns about
 * them (rule: provider-state).
 */
export function keepOwnStates(
  units: readonly Unit[],
  origin: StateOrigin | undefined,
): Pick<Situation, 'units' | 'warnings'> {
  let foreign = 0;
  const own = (state: unknown): unknown => {
    if (state == null || isOwn(state, origin)) return state;
    foreign += 1;
    return undefined;
  };
  const kept = units.map((unit) => mapStates(unit, own));
  return { units: kept, warnings: foreign === 0 ? [] : [stateNotSent(foreign)] };
}

function isOwn(state: unknown, origin: StateOrigin | undefined): boolean {
  if (!origin || !isObject(state)) return false;
  const { provider, wire, family } = origin;
  const isSame = state['provider'] === provider && state['wire'] === wire && state['family'] === family;
  return isSame && !isTooLarge(state);
}

/** Replaces the provider states of a unit. Returns the same unit if it has none. */
function mapStates(unit: Unit, map: (state: unknown) => unknown): Unit {
  if (!hasState(unit)) return unit;
  if (unit.type === 'assistant') return { ...unit, providerState: map(unit.providerState) };
  return unit.type === 'action' ? mapActionStates(unit, map) : unit;
}

function mapActionStates(unit: ActionUnit, map: (state: unknown) => unknown): ActionUnit {
  const calls = unit.calls.map((call) =>
    call.providerState == null ? call : { ...call, providerState: map(call.providerState) },
  );
  return { ...unit, calls, providerState: map(unit.providerState) };
}

/**
 * Removes the provider state of a unit. Because some vendors reject native calls without it, the calls are then
 * written as text.
 */
export const withoutStates = (unit: ActionUnit): ActionUnit =>
  hasState(unit) ? { ...mapActionStates(unit, () => undefined), isWritten: true } : unit;

function hasState(unit: Unit): boolean {
  if (unit.type !== 'assistant' && unit.type !== 'action') return false;
  if (unit.providerState != null) return true;
  return unit.type === 'action' && unit.calls.some(({ providerState }) => providerState != null);
}

function stateNotSent(turns: number): Warning {
  const subject = turns === 1 ? 'The provider_state of 1 turn' : `The provider_state of ${turns} turns`;
  return {
    code: 'provider_state_not_sent',
    message: `${subject} was not sent: it belongs to another provider or model family, is unreadable, or exceeds 256 KiB.`,
  };
}

/**
 * Returns the tokens of an encrypted provider state, as its provider reported them; undefined for a readable
 * state, whose text can be counted.
 */
export function reportedTokens(state: unknown): number | undefined {
  const tokens = isObject(state) ? state['tokens'] : undefined;
  return Number.isSafeInteger(tokens) && Number(tokens) >= 0 ? Number(tokens) : undefined;
}
