import { checkArguments } from './arguments/check-arguments.js';
import { nameArguments } from './arguments/name-arguments.js';
import type { OfferedTools } from './arguments/offered-tool.js';
import {
  type CallReading,
  type Dialect,
  isAnswerName,
  signature,
  type WholeCall,
} from './dialects/written-call.js';
import type { JsonValue, Repair } from './text/scanner.js';

/** The result of checking a written call against the offered tools. */
export type ResolvedCall =
  | {
      readonly outcome: 'action';
      readonly dialect: Dialect;
      readonly toolName: string;
      readonly toolArgs: Record<string, JsonValue>;
      readonly thought: string;
      readonly repairs: readonly Repair[];
      readonly start: number;
      readonly end: number;
      /** Further calls of the block that holds this call; `blockEnd` is its end. */
      readonly more: readonly WholeCall[];
      readonly blockEnd: number;
    }
  | {
      readonly outcome: 'answer';
      readonly answer: string;
      readonly thought: string;
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
  /** True if the provider cut the completion at its output limit. */
  readonly cutByLimit: boolean;
  readonly textLength: number;
}

/** Checks a written call against the offered tools. Never throws; every call has an outcome. */
export function resolveCall(
  reading: CallReading,
  tools: OfferedTools,
  options: ResolveOptions,
): ResolvedCall {
  const { dialect, name } = reading;
  if (reading.kind === 'call' && isAnswerCall(reading, tools)) return readAnswer(reading);
  const isOpen = reading.kind === 'call' ? isOpenEnded(reading, options.textLength) : reading.cut;
  if (options.cutByLimit && isOpen) {
    return { outcome: 'truncated', dialect, problem: 'the output limit cut the action off' };
  }
  if (name !== null && !tools.areUnknown && !tools.findCallable(name)) {
    return { outcome: 'unknown_tool', dialect, problem: tools.describeUnknown(name) };
  }
  if (reading.kind === 'call') return nameAndCheck(reading, tools);
  return { outcome: 'malformed_action', dialect, problem: reading.problem };
}

/**
 * Whether a call is `Final Answer` with one value, and no tool of that name is offered (rule: answer-call).
 */
export function isAnswerCall({ name, list }: WholeCall, tools: OfferedTools): boolean {
  return isAnswerName(name) && !tools.find(name) && list.length === 1;
}

/** Reads the call's one value as the answer. A value that is not a string becomes JSON text. */
function readAnswer({
  isStepObject,
  list,
  input,
  thought = '',
  repairs,
  start,
  end,
}: WholeCall): ResolvedCall {
  const given = input ?? list[0]?.value ?? null;
  const value = isStepObject ? given : onlyEntry(given);
  const answer = typeof value === 'string' ? value : JSON.stringify(value);
  return { outcome: 'answer', answer, thought, repairs, start, end };
}

/** Unwraps an object with one entry, such as `{"answer": "42"}`. */
function onlyEntry(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const [only, ...others] = Object.values(value);
  return only !== undefined && others.length === 0 ? only : value;
}

/**
 * Whether a call may have been longer before the text was cut off: it lacks `)`, has a string whose end was guessed, or
 * reaches the end of the text without anything that closes it (a name alone, a plain or empty action input, a smart
 * quote).
 */
function isOpenEnded(call: WholeCall, textLength: number): boolean {
  if (call.mayContinue || call.repairs.includes('missing_close') || call.repairs.includes('inner_quotes'))
    return true;
  const [first] = call.list;
  const plain = call.dialect === 'action_input' && (!first || typeof first.value === 'string');
  return (plain || call.repairs.includes('smart_quotes')) && call.end >= textLength;
}

function nameAndCheck(call: WholeCall, tools: OfferedTools): ResolvedCall {
  const { dialect, name, thought = '', start, end } = call;
  const tool = tools.find(name);
  const isCallForm = dialect === 'call' || dialect === 'bare';
  const named = nameArguments({ ...call, isCallForm }, tool);
  if (!named.ok) return { outcome: 'malformed_action', dialect, problem: named.problem };
  const checked = checkArguments(named.values, tool?.inputSchema, named.spellings);
  if (!checked.ok) {
    const usage = tool ? `; write ${signature(tool)}` : '';
    return { outcome: 'malformed_action', dialect, problem: `${name}: ${checked.problem}${usage}` };
  }
  const repairs = [...new Set([...call.repairs, ...checked.repairs])];
  return {
    outcome: 'action',
    dialect,
    toolName: name,
    toolArgs: checked.values,
    thought,
    repairs,
    start,
    end,
    more: call.more ?? [],
    blockEnd: call.blockEnd ?? end,
  };
}
