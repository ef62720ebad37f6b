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

/** A written call held against the tools that are offered. */
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
  /** The provider cut the completion at its output limit. */
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

/** A call of `Final Answer` with one value, where no tool of that name is offered (rule: answer-call). */
export function isAnswerCall({ name, list }: WholeCall, tools: OfferedTools): boolean {
  return isAnswerName(name) && !tools.find(name) && list.length === 1;
}

/** Its one value: text as it is, any other as JSON. */
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

/** `{"answer": "42"}` names the one argument of such a call. */
function onlyEntry(value: JsonValue): JsonValue {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const [only, ...others] = Object.values(value);
  return only !== undefined && others.length === 0 ? only : value;
}

/**
 * Whether a call might have gone on if the text had not been cut: a call without `)`, a string whose end was guessed,
 * or one that ends with the text without a closing mark (a plain action input, a smart quote).
 */
function isOpenEnded(call: WholeCall, textLength: number): boolean {
  if (call.repairs.includes('missing_close') || call.repairs.includes('inner_quotes')) return true;
  const plain = call.dialect === 'action_input' && typeof call.list[0]?.value === 'string';
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
  };
}
