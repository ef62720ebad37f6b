import type { OfferedTool } from '../arguments/offered-tool.js';
import type { Argument } from '../arguments/read-arguments.js';
import { decode } from '../text/literals.js';
import type { JsonValue, Repair, Scanner, Spellings } from '../text/scanner.js';

/** How an action was written (`parse.dialect` of the response). */
export type Dialect = 'call' | 'action_input' | 'json' | 'tag' | 'bracket' | 'bare';

/** A call whose syntax is whole; whether its tool is offered and its arguments fit is judged later. */
export interface WholeCall {
  readonly kind: 'call';
  readonly dialect: Dialect;
  readonly name: string;
  readonly list: readonly Argument[];
  /** The one value that held all arguments, as it was written; undefined where they stood one by one. */
  readonly input?: JsonValue | undefined;
  /** What a JSON object says beside the call (rule: step-object). */
  readonly thought?: string;
  /** The object that `protocol: "json"` teaches, which means what it says without a marker. */
  readonly isStepObject?: boolean;
  readonly spellings: Spellings;
  readonly repairs: readonly Repair[];
  /** The call as written: `text.slice(start, end)`. */
  readonly start: number;
  readonly end: number;
}

/** Where a call stands, and how it is written. */
export type CallPlace = Pick<WholeCall, 'kind' | 'dialect' | 'start' | 'end'>;

/** An action that was meant but cannot be read. */
export interface UnreadableCall {
  readonly kind: 'unreadable';
  readonly dialect: Dialect;
  /** As far as the name could be read. */
  readonly name: string | null;
  readonly problem: string;
  /** The text ended too early. */
  readonly cut: boolean;
}

/** The name under which LangChain's and other agents write their answer as a call (rule: answer-call). */
export function isAnswerName(name: string): boolean {
  return /^final[ _]answer$/i.test(name);
}

/** What a dialect makes of a place in the text; null: not written in this dialect. */
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

/** The call with its arguments from one value; unreadable if that encodes none. */
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

/** An unreadable call from a scanner that gave up. */
export function unreadable(dialect: Dialect, name: string | null, scanner: Scanner): UnreadableCall {
  return {
    kind: 'unreadable',
    dialect,
    name,
    problem: scanner.problem ?? 'it cannot be read',
    cut: scanner.cut,
  };
}

/** `read_file(path, start_line)`: how the tool is called, for a problem's words. */
export function signature(tool: OfferedTool): string {
  return `${tool.name}(${tool.parameters.join(', ')})`;
}
