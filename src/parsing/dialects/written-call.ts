import type { OfferedTool } from '../arguments/offered-tool.js';
import type { Argument } from '../arguments/read-arguments.js';
import { decode } from '../text/literals.js';
import type { JsonValue, Repair, Scanner, Spellings } from '../text/scanner.js';

/** How an action was written (`parse.dialect` of the response). */
export type Dialect = 'call' | 'action_input' | 'json' | 'tag' | 'bracket' | 'bare';

/** A call with complete syntax; `resolveCall` checks its tool and arguments. */
export interface WholeCall {
  readonly kind: 'call';
  readonly dialect: Dialect;
  readonly name: string;
  readonly list: readonly Argument[];
  /** The one value that held all arguments, as written; undefined if they were written one by one. */
  readonly input?: JsonValue | undefined;
  /** The thought in a JSON object beside the call (rule: step-object). */
  readonly thought?: string;
  /** The call is the object that `protocol: "json"` teaches, which needs no marker. */
  readonly isStepObject?: boolean;
  readonly spellings: Spellings;
  readonly repairs: readonly Repair[];
  /** The call as written: `text.slice(start, end)`. */
  readonly start: number;
  readonly end: number;
}

/** The place and the dialect of a call. */
export type CallPlace = Pick<WholeCall, 'kind' | 'dialect' | 'start' | 'end'>;

/** An intended action that cannot be read. */
export interface UnreadableCall {
  readonly kind: 'unreadable';
  readonly dialect: Dialect;
  /** Null if the name could not be read. */
  readonly name: string | null;
  readonly problem: string;
  /** The text ended too early. */
  readonly cut: boolean;
}

/** Whether a tool name is the one under which agents such as LangChain's write their answer (rule: answer-call). */
export function isAnswerName(name: string): boolean {
  return /^final[ _]answer$/i.test(name);
}

/** A dialect's reading of a place in the text; null if the text is not in this dialect. */
export type CallReading = WholeCall | UnreadableCall;

/**
 * Turns a value that holds all arguments into arguments: an object, a list, a string that encodes an
 * object, any other string. Null for a string that begins like an object but encodes none.
 */
function argumentList(value: JsonValue | undefined, spellings: Spellings): Argument[] | null {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return value.map((item) => ({ key: null, value: item }));
  if (typeof value !== 'string' || !value.trimStart().startsWith('{')) return [{ key: null, value }];
  const decoded = decode(value, spellings);
  return decoded === undefined ? null : [{ key: null, value: decoded }];
}

/** Takes a call's arguments from one value; the call is unreadable if the value encodes none. */
export function withArguments(
  call: CallPlace & Pick<WholeCall, 'name' | 'thought' | 'isStepObject'>,
  value: JsonValue | undefined,
  { spellings, repairs }: Pick<Scanner, 'spellings' | 'repairs'>,
): CallReading {
  const asText = isAnswerName(call.name) ? [{ key: null, value: value ?? null }] : null;
  const list = argumentList(value, spellings) ?? asText;
  if (list) return { ...call, list, input: value, spellings, repairs: [...repairs] };
  const problem = `${call.name}: the arguments are no whole JSON object`;
  return { kind: 'unreadable', dialect: call.dialect, name: call.name, problem, cut: false };
}

/** Makes an unreadable call from a failed scanner. */
export function unreadable(dialect: Dialect, name: string | null, scanner: Scanner): UnreadableCall {
  return {
    kind: 'unreadable',
    dialect,
    name,
    problem: scanner.problem ?? 'it cannot be read',
    cut: scanner.cut,
  };
}

/** Writes how the tool is called, such as `read_file(path, start_line)`, for the text of a problem. */
export function signature(tool: OfferedTool): string {
  return `${tool.name}(${tool.parameters.join(', ')})`;
}
