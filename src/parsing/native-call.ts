import { type OfferedTool, OfferedTools } from './arguments/offered-tool.js';
import { type CallReading, unreadable, withArguments } from './dialects/written-call.js';
import type { ParseOptions } from './parse-completion.js';
import { resolveCall } from './resolve-call.js';
import { skipSpace } from './text/characters.js';
import { readValue } from './text/literals.js';
import { type JsonValue, type Repair, Scanner } from './text/scanner.js';

/** A call that the provider sent in a separate field, not in the text. */
export interface NativeCall {
  /** Name of the tool, as the provider's field has it. */
  readonly name: string;
  /** JSON as the model wrote it; empty text means no arguments, unless the output limit cut the call off. */
  readonly arguments: string;
}

/** The result of checking a native call. */
export type NativeCallReading = NativeAction | NativeAnswer | UnreadableNativeCall | EmptyNativeAnswer;

/** A call of an offered tool with valid arguments. */
export interface NativeAction {
  /** Distinguishes this result from the others. */
  readonly outcome: 'action';
  /** Name of the tool, as it was offered. */
  readonly toolName: string;
  /** Arguments by parameter, with types corrected where the schema allows only one reading. */
  readonly toolArgs: Record<string, JsonValue>;
  /** Repairs that the parser made in the arguments; empty if they were correct. */
  readonly repairs: readonly Repair[];
}

/** A call of a tool named `Final Answer`, with which models write their answer although no such tool is offered. */
export interface NativeAnswer {
  /** Distinguishes this result from the others. */
  readonly outcome: 'answer';
  /** The text of the answer, without white space around it; never empty. */
  readonly answer: string;
}

/** A call that must not run. */
export interface UnreadableNativeCall {
  /** `truncated` if the output limit cut the call off. */
  readonly outcome: 'malformed_action' | 'unknown_tool' | 'truncated';
  /** Advice for the model: the fault of the call, and how to write it correctly. */
  readonly problem: string;
}

/** A call of `Final Answer` without text. */
export interface EmptyNativeAnswer {
  /** Distinguishes this result from the others. */
  readonly outcome: 'empty';
}

/**
 * Checks a native call against the offered tools. The name comes from the call, whatever its arguments hold;
 * the arguments are one value, read like those of a JSON call in text, with nothing after it (rule:
 * json-call). Never throws.
 */
export function readNativeCall(
  call: NativeCall,
  tools: readonly OfferedTool[],
  { finishReason }: Pick<ParseOptions, 'finishReason'> = {},
): NativeCallReading {
  const limits = { cutByLimit: finishReason === 'length', textLength: call.arguments.length };
  const resolved = resolveCall(readWritten(call), OfferedTools.of(tools), limits);
  if (resolved.outcome !== 'answer') return resolved;
  const answer = resolved.answer.trim();
  return answer === '' ? { outcome: 'empty' } : { ...resolved, answer };
}

function readWritten({ name, arguments: written }: NativeCall): CallReading {
  const text = written.trim();
  const mayContinue = text === '';
  const scanner = new Scanner(text, 0);
  const value = mayContinue ? {} : readValue(scanner);
  if (skipSpace(text, scanner.position) < text.length) scanner.fail(`${name}: text follows the arguments`);
  if (value === undefined || scanner.problem !== null) return unreadable('json', name, scanner);
  const place = { kind: 'call', dialect: 'json', start: 0, end: text.length } as const;
  return withArguments({ name, mayContinue, ...place }, value, scanner);
}
