import type { Completion, NativeToolCall } from '../agent/provider.js';

/** Calls of one reply that are read. Models make a handful; a reply of thousands is broken, or hostile. */
const MOST_CALLS = 128;
/** Levels of nested arguments that are written out: more than any reader of ours takes. */
const DEEPEST = 100;

/** The first calls of a reply, and how much the others hold (rule: native-calling). */
export function boundCalls(calls: readonly NativeToolCall[]): Pick<Completion, 'toolCalls' | 'unreadCalls'> {
  const unread = calls.slice(MOST_CALLS);
  if (unread.length === 0) return { toolCalls: calls };
  const chars = unread.reduce((sum, call) => sum + call.name.length + call.arguments.length, 0);
  return { toolCalls: calls.slice(0, MOST_CALLS), unreadCalls: { count: unread.length, chars } };
}

/** Arguments that came as a value, as the text they are read from. */
export function writeArguments(value: unknown): string {
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
