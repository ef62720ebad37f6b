import type { ToolDefinition } from '../../../contract/tool.js';
import type { PairedCall } from '../../../conversation/units.js';
import { orderKeys } from './json-values.js';

/** What a call was, and how it went; the proposed one has not gone yet. */
export type SignalCall = Pick<PairedCall, 'name' | 'parameters' | 'observation'>;

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

export function countSignals(calls: readonly SignalCall[], tools: readonly ToolDefinition[]): LoopSignals {
  const newest = calls.slice(-MOST_COMPARED);
  const same = comparison();
  const finished = calls.filter(({ observation }) => observation && !observation.isDenied);
  return {
    repeated_action: repetitions(newest, 1, same),
    repeated_cycle: Math.max(repetitions(newest, 2, same), repetitions(newest, 3, same)),
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

/** Whether two calls are the same but for the order of keys; arguments are written out only if the names agree. */
function comparison(): (one: SignalCall, other: SignalCall) => boolean {
  const written = new Map<SignalCall, string>();
  const write = (call: SignalCall): string => {
    const text = written.get(call) ?? JSON.stringify(orderKeys(call.parameters));
    written.set(call, text);
    return text;
  };
  return (one, other) => one.name === other.name && write(one) === write(other);
}

/** How often the last `length` calls stand at the end in a row, if that is more than once and no shorter cycle. */
function repetitions(
  calls: readonly SignalCall[],
  length: number,
  same: ReturnType<typeof comparison>,
): number {
  const last = calls.slice(-length);
  const [first] = last;
  if (!first || last.length < length) return 0;
  let times = 1;
  for (; ; times += 1) {
    const before = calls.slice(-(times + 1) * length, -times * length);
    const isAgain =
      calls.length >= (times + 1) * length &&
      last.every((call, index) => {
        const other = before[index];
        return other !== undefined && same(call, other);
      });
    if (!isAgain) break;
  }
  if (times === 1 || (length > 1 && last.every((call) => same(call, first)))) return 0;
  return times;
}

function lengthAtEnd<Item>(items: readonly Item[], matches: (item: Item) => boolean): number {
  const breaker = items.findLastIndex((item) => !matches(item));
  return items.length - 1 - breaker;
}
