import type { Completion } from '../step/provider.js';

/** Calls of one reply that are read. Models make a handful; a reply of thousands is broken, or hostile. */
const MOST_CALLS = 128;
/** Levels of nested arguments that are written out: more than any reader of ours takes. */
const DEEPEST = 100;

/** The calls of a reply that are read, and those beyond (rule: native-calling). */
export const splitCalls = <Call>(calls: readonly Call[]) => ({
  read: calls.slice(0, MOST_CALLS),
  unread: calls.slice(MOST_CALLS),
});

/** How many calls are not read, and how long they are as JSON; undefined if all are. */
export async function describeUnread(unread: readonly unknown[]): Promise<Completion['unreadCalls']> {
  if (unread.length === 0) return undefined;
  return { count: unread.length, chars: JSON.stringify(unread).length };
}

/** Arguments that came as a value, as the text they are read from. */
export async function writeArguments(value: unknown = {}): Promise<string> {
  try {
    return JSON.stringify(value ?? {});
  } catch {
    // Only the depth of what was parsed from JSON can be too much. The text is still too deep to be accepted.
    return JSON.stringify(downTo(DEEPEST, value));
  }
}

function downTo(levels: number, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((each) => downTo(levels - 1, each));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, downTo(levels - 1, each)]));
}
