import type { ToolDefinition } from '../../../contract/tool.js';
import type { Observation, PairedCall } from '../../../conversation/units.js';
import { sameValue } from './json-values.js';

/** What a call was, and how it went; the proposed one has not gone yet. */
export interface SignalCall extends Pick<PairedCall, 'name' | 'parameters'> {
  readonly observation?: Pick<Observation, 'isError' | 'isDenied'>;
}

/** Counts over the calls of a run, oldest first (rule: signals): every replica says the same. */
export interface LoopSignals {
  /** The latest call, how often it was made in a row; 0 if it is not a repetition. */
  readonly repeated_action: number;
  /** The latest two or three calls, how often they were made in turn; 0 where they are no cycle. */
  readonly repeated_cycle: number;
  readonly consecutive_read_only: number;
  /** Failed calls in a row; denied ones neither count nor end the row. */
  readonly consecutive_errors: number;
}

const READ_ONLY_NAME =
  /^(?:read|list|search|find|get|view|show)(?![a-z])|[._-](?:read|list|search|find|get|view|show)(?![a-z])/;
const ADVISED_REPEATS = 3;
const ADVISED_ERRORS = 3;
const ADVISED_READS = 5;
/** Repetitions are looked for among so many calls, the newest. */
const MOST_COMPARED = 1_000;

const noSignals: LoopSignals = {
  repeated_action: 0,
  repeated_cycle: 0,
  consecutive_read_only: 0,
  consecutive_errors: 0,
};

export function countSignals(calls: readonly SignalCall[], tools: readonly ToolDefinition[]): LoopSignals {
  if (calls.length === 0) return noSignals;
  const newest = calls.slice(-MOST_COMPARED);
  const finished = calls.filter(({ observation }) => observation && !observation.isDenied);
  return {
    repeated_action: repetitions(newest, 1),
    repeated_cycle: Math.max(repetitions(newest, 2), repetitions(newest, 3)),
    consecutive_read_only: lengthAtEnd(calls, isReadOnly(tools)),
    consecutive_errors: lengthAtEnd(finished, ({ observation }) => observation?.isError === true),
  };
}

/** Whether a tool only reads: by its hint, else by its name. */
export function isReadOnly(tools: readonly ToolDefinition[]): (tool: { readonly name: string }) => boolean {
  const hints = new Map(tools.map((tool) => [tool.name, tool.annotations?.readOnlyHint]));
  return ({ name }) => hints.get(name) ?? READ_ONLY_NAME.test(name);
}

/** One sentence for the model if the run seems stuck; nothing is ever blocked. */
export function advise(signals: LoopSignals): string | undefined {
  if (signals.repeated_action >= ADVISED_REPEATS) {
    return `Note: the same call was made ${signals.repeated_action} times in a row; it will return the same again, so try something else or answer.\n`;
  }
  if (signals.repeated_cycle >= ADVISED_REPEATS) {
    return `Note: the same calls were made in turn ${signals.repeated_cycle} times; try something else or answer.\n`;
  }
  if (signals.consecutive_errors >= ADVISED_ERRORS) {
    return `Note: the last ${signals.consecutive_errors} calls failed; read the errors, then try another way or answer.\n`;
  }
  const reads = signals.consecutive_read_only;
  if (reads > 0 && reads % ADVISED_READS === 0) {
    return `Note: ${reads} calls in a row only read; if you know enough, act or answer.\n`;
  }
  return undefined;
}

/** Whether there are two calls, the same but for the order of keys. */
function areSame(one: SignalCall | undefined, other: SignalCall | undefined): boolean {
  if (!one || !other || one.name !== other.name) return false;
  return sameValue(one.parameters, other.parameters);
}

/** How often the last `length` calls stand at the end in a row, if that is more than once and no shorter cycle. */
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
