import type { TurnInput } from '../../contract/history.js';
import { type ConversationItem, originsOf } from './conversation-items.js';

/**
 * What a vendor's messages cannot hold: times, kinds, phases, results that are not text, signed reasoning. Plain
 * JSON, to be kept beside the messages.
 */
export type Residue = readonly ResidualTurn[];

/** What one turn lacks when it is read back, beside its place. */
export interface ResidualTurn {
  /** The turn's place in our history; null for what only the vendor needed. */
  readonly origin: number | null;
  /** Fields to set. */
  readonly set?: Readonly<Record<string, unknown>> | undefined;
  /** Fields to take away. */
  readonly unset?: readonly string[] | undefined;
}

/** What is missing in the turns that were read back out of the messages which the items became. */
export function residueOf(
  history: readonly TurnInput[],
  items: readonly ConversationItem[],
  readBack: readonly TurnInput[],
): Residue {
  const origins = originsOf(items);
  return readBack.map((turn, index) => {
    const origin = origins[index] ?? null;
    const original = origin === null ? undefined : history[origin];
    return { origin, ...(original && difference(turn, original)) };
  });
}

/**
 * Our history again, from the turns read out of a vendor's messages. Messages may have been appended since; they
 * come after.
 */
export function restore(turns: readonly TurnInput[], residue: Residue): TurnInput[] {
  const known = residue.flatMap((rest, index) => {
    const turn = turns[index];
    return turn && rest.origin !== null ? [{ origin: rest.origin, turn: amend(turn, rest) }] : [];
  });
  known.sort((a, b) => a.origin - b.origin);
  return [...known.map(({ turn }) => turn), ...turns.slice(residue.length)];
}

function difference(turn: TurnInput, original: TurnInput): Pick<ResidualTurn, 'set' | 'unset'> {
  const before = new Map(Object.entries(turn));
  const after = new Map(Object.entries(original).filter(([, value]) => value !== undefined));
  const set = [...after].filter(([name, value]) => !equalJson(before.get(name), value));
  const unset = [...before.keys()].filter((name) => !after.has(name));
  return {
    ...(set.length > 0 && { set: Object.fromEntries(set) }),
    ...(unset.length > 0 && { unset }),
  };
}

function amend(turn: TurnInput, { set = {}, unset = [] }: ResidualTurn): TurnInput {
  const kept = Object.entries(turn).filter(([name]) => !unset.includes(name));
  // The fields were taken from a turn of the same role, by `difference`.
  return Object.fromEntries([...kept, ...Object.entries(set)]) as TurnInput;
}

/** Equal as JSON, keys in the same order: a difference in order is kept too. */
const equalJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
