import { type CallReading, type Dialect, signature, type WholeCall } from '../dialects/written-call.js';
import type { JsonValue, Repair } from '../text/scanner.js';
import { checkArguments } from './check-arguments.js';
import { nameArguments } from './name-arguments.js';
import type { OfferedTools } from './offered-tool.js';

/** A written call held against the tools that are offered. */
export type ResolvedCall =
  | {
      readonly outcome: 'action';
      readonly dialect: Dialect;
      readonly toolName: string;
      readonly toolArgs: Record<string, JsonValue>;
      readonly repairs: readonly Repair[];
      readonly start: number;
      readonly end: number;
    }
  | {
      readonly outcome: 'malformed_action' | 'unknown_tool' | 'truncated';
      readonly dialect: Dialect;
      readonly problem: string;
    };

export interface ResolveOptions {
  /** The provider cut the completion at its output limit. */
  readonly cutByLimit: boolean;
  readonly textLength: number;
}

/** Never throws; every written call has an outcome. */
export function resolveCall(
  reading: CallReading,
  tools: OfferedTools,
  options: ResolveOptions,
): ResolvedCall {
  const { dialect, name } = reading;
  if (name !== null && !tools.areUnknown && !tools.find(name)) {
    return { outcome: 'unknown_tool', dialect, problem: tools.describeUnknown(name) };
  }
  if (reading.kind === 'call' && !(options.cutByLimit && isOpenEnded(reading, options.textLength))) {
    return nameAndCheck(reading, tools);
  }
  if (options.cutByLimit && (reading.kind === 'call' || reading.cut)) {
    return { outcome: 'truncated', dialect, problem: 'the output limit cut the action off' };
  }
  const problem = reading.kind === 'call' ? '' : reading.problem;
  return { outcome: 'malformed_action', dialect, problem };
}

/**
 * Where the text was cut off, these might have gone on: a call without `)`, a string whose end was guessed at,
 * and what ends with the text without a mark of its own (a plain action input, a smart quote).
 */
function isOpenEnded(call: WholeCall, textLength: number): boolean {
  if (call.repairs.includes('missing_close') || call.repairs.includes('inner_quotes')) return true;
  const plain = call.dialect === 'action_input' && typeof call.list[0]?.value === 'string';
  return (plain || call.repairs.includes('smart_quotes')) && call.end >= textLength;
}

function nameAndCheck(call: WholeCall, tools: OfferedTools): ResolvedCall {
  const { dialect, name, start, end } = call;
  const tool = tools.find(name);
  const named = nameArguments(call, tool);
  if (!named.ok) return { outcome: 'malformed_action', dialect, problem: named.problem };
  const checked = checkArguments(named.values, tool?.inputSchema, named.spellings);
  if (!checked.ok) {
    const usage = tool ? `; write ${signature(tool)}` : '';
    return { outcome: 'malformed_action', dialect, problem: `${name}: ${checked.problem}${usage}` };
  }
  const repairs = [...new Set([...call.repairs, ...checked.repairs])];
  return { outcome: 'action', dialect, toolName: name, toolArgs: checked.values, repairs, start, end };
}
