import type { ToolDefinition } from '../../../contract/tool.js';
import type { LoopSignals, SignalCall } from '../types.js';
import { sameValue } from './json-values.js';

const READ_ONLY_NAME =
  /^(?:read|list|search|find|get|view|show)(?![a-z])|[._-](?:read|list|search|find|get|view|show)(?![a-z])/;
const MIN_REPEATS_FOR_ADVICE = 3;
const MIN_ERRORS_FOR_ADVICE = 3;
const READS_BETWEEN_ADVICE = 5;
/** Maximum number of recent calls among which repetitions are counted. */
const MAX_COMPARED_CALLS = 1_000;

const noSignals: LoopSignals = {
  repeated_action: 0,
  repeated_cycle: 0,
  consecutive_read_only: 0,
  consecutive_errors: 0,
};

/**
 * Counts repetitions, reads and errors. The counts depend only on the calls, so every process that serves the run
 * gets the same (rule: signals).
 */
export function countSignals(calls: readonly SignalCall[], tools: readonly ToolDefinition[]): LoopSignals {
  if (calls.length === 0) return noSignals;
  const newest = calls.slice(-MAX_COMPARED_CALLS);
  const finished = calls.filter(({ observation }) => observation && !observation.isDenied);
  return {
    repeated_action: repetitions(newest, 1),
    repeated_cycle: Math.max(repetitions(newest, 2), repetitions(newest, 3)),
    consecutive_read_only: lengthAtEnd(calls, isReadOnly(tools)),
    consecutive_errors: lengthAtEnd(finished, ({ observation }) => observation?.isError === true),
  };
}

/**
 * Returns a function that tells whether a tool is read-only, by the annotation of the tool or, without one, by its
 * name.
 */
export function isReadOnly(tools: readonly ToolDefinition[]): (tool: { readonly name: string }) => boolean {
  const hints = new Map(tools.map((tool) => [tool.name, tool.annotations?.readOnlyHint]));
  return ({ name }) => hints.get(name) ?? READ_ONLY_NAME.test(name);
}

/**
 * Returns one sentence of advice to the model if the run seems stuck (rule: advice). Calls are never blocked.
 */
export function advise(signals: LoopSignals): string | undefined {
  if (signals.repeated_action >= MIN_REPEATS_FOR_ADVICE) {
    return `Note: the same call was made ${signals.repeated_action} times in a row; it will return the same again, so try something else or answer.\n`;
  }
  if (signals.repeated_cycle >= MIN_REPEATS_FOR_ADVICE) {
    return `Note: the same calls were made in turn ${signals.repeated_cycle} times; try something else or answer.\n`;
  }
  if (signals.consecutive_errors >= MIN_ERRORS_FOR_ADVICE) {
    return `Note: the last ${signals.consecutive_errors} calls failed; read the errors, then try another way or answer.\n`;
  }
  const reads = signals.consecutive_read_only;
  if (reads > 0 && reads % READS_BETWEEN_ADVICE === 0) {
    return `Note: ${reads} calls in a row only read; if you know enough, act or answer.\n`;
  }
  return undefined;
}

/** Returns whether two calls have the same tool and the same arguments, ignoring the order of keys. */
function areSame(one: SignalCall | undefined, other: SignalCall | undefined): boolean {
  if (!one || !other || one.name !== other.name) return false;
  return sameValue(one.parameters, other.parameters);
}

/**
 * Counts how often the last `length` calls repeat in a row at the end of the list. Returns 0 if they occur once, or
 * if they are a repetition of one call.
 */
function repetitions(calls: readonly SignalCall[], length: number): number {
  if (calls.length < 2 * length) return 0;
  const last = calls.slice(-length);
  if (length > 1 && last.every((call) => areSame(call, last[0]))) return 0;
  let at = calls.length - 1 - length;
  while (areSame(calls[at], calls[at + length])) at -= 1;
  const times = Math.floor((calls.length - 1 - at) / length);
  return times > 1 ? times : 0;
}

function lengthAtEnd<Item>(items: readonly Item[], matches: (item: Item) => boolean): number {
  const breaker = items.findLastIndex((item) => !matches(item));
  return items.length - 1 - breaker;
}
