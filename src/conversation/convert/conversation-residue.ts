import type { TurnInput } from '../../contract/history.js';
import { type ConversationItem, originsOf } from './conversation-items.js';

/**
 * The parts of a history that a vendor's messages cannot express, such as timestamps, phases, structured results and
 * signed reasoning. Plain JSON: store it with the messages, and pass it to the function that converts them back.
 */
export type Residue = readonly ResidualTurn[];

/**
 * The differences between a turn of the original history and the same turn after conversion to a vendor's messages
 * and back.
 */
export interface ResidualTurn {
  /** Index of the turn in our history; null for a message that exists only because the vendor requires it. */
  readonly origin: number | null;
  /** Fields of the original turn that are missing in the converted turn or have another value there. */
  readonly set?: Readonly<Record<string, unknown>> | undefined;
  /** Names of fields that exist in the converted turn but not in the original one. */
  readonly unset?: readonly string[] | undefined;
}

/** Compares the original history with the turns that result from converting `items` to messages and back. */
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
 * Restores the original history from turns that were read from a vendor's messages. Turns from messages that were
 * appended after the conversion stay unchanged at the end.
 */
export function restore(turns: readonly TurnInput[], residue: Residue): TurnInput[] {
  const restored = residue.flatMap((rest, index) => {
    const turn = turns[index];
    return turn && rest.origin !== null ? [{ origin: rest.origin, turn: amend(turn, rest) }] : [];
  });
  restored.sort((a, b) => a.origin - b.origin);
  return [...restored.map(({ turn }) => turn), ...turns.slice(residue.length)];
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
  // Cast: `residueOf` took these fields from a turn of the same role.
  return Object.fromEntries([...kept, ...Object.entries(set)]) as TurnInput;
}

/** Compares two values as JSON, including the order of keys, because `restore` must also restore that order. */
const equalJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
