import type { OfferedTool } from '../arguments/offered-tool.js';
import type { Argument } from '../arguments/read-arguments.js';
import { decode } from '../text/literals.js';
import { isJsonObject, type JsonValue, type Repair, type Scanner, type Spellings } from '../text/scanner.js';

/** The syntax in which an action was written (`parse.dialect` of the response). */
export type Dialect = 'call' | 'action_input' | 'json' | 'tag' | 'bracket' | 'bare' | NativeDialect;

/** Grammars of the native formats of model families (rule: native-formats). */
const nativeDialects = [
  'json_block',
  'json_list',
  'name_json',
  'function_tag',
  'invoke',
  'arg_pairs',
  'element',
  'python',
  'gemma',
  'xtml',
] as const;
type NativeDialect = (typeof nativeDialects)[number];

/** Whether a dialect is the grammar of a native format. */
export const isNative = (dialect: Dialect): boolean => nativeDialects.some((each) => each === dialect);

/** A call with complete syntax; `resolveCall` checks its tool and arguments. */
export interface WholeCall {
  readonly kind: 'call';
  readonly dialect: Dialect;
  readonly name: string;
  readonly list: readonly Argument[];
  /** The one value that held all arguments, as written; undefined if the call has no such value. */
  readonly input?: JsonValue | undefined;
  /** The thought that a JSON object holds beside the call (rule: step-object). */
  readonly thought?: string;
  /**
   * True if the call was written in the form that the prompt asks for with `protocol: "json"`. Such an object is read
   * as a call even without an `Action:` label (rule: step-object).
   */
  readonly isStepObject?: boolean;
  readonly spellings: Spellings;
  readonly repairs: readonly Repair[];
  /** True if the text ends right after a name without arguments, so that the name or the arguments may be cut off. */
  readonly mayContinue?: boolean;
  /** The call as written: `text.slice(start, end)`. */
  readonly start: number;
  readonly end: number;
  /** Further calls of the same block of a native format or JSON list, in order (rule: several-calls). */
  readonly more?: readonly WholeCall[];
  /** End of the block that holds the call, if the call is in one. */
  readonly blockEnd?: number;
  /**
   * End of an unreadable call that follows this call and those in `more`. Up to this position, the parser reads no
   * other call or label.
   */
  readonly dataEnd?: number;
}

/** Position and dialect of a call. */
export type CallPlace = Pick<WholeCall, 'kind' | 'dialect' | 'start' | 'end'>;

/** An intended action that cannot be read. */
export interface UnreadableCall {
  readonly kind: 'unreadable';
  readonly dialect: Dialect;
  /** Null if the name could not be read. */
  readonly name: string | null;
  readonly problem: string;
  /** True if the call is incomplete because the text ended. */
  readonly cut: boolean;
  /** End of the unreadable text, if it is known. Up to this position, the parser reads no other call or label. */
  readonly end?: number | undefined;
}

/** Whether agents such as LangChain's use this tool name for their answer (rule: answer-call). */
export function isAnswerName(name: string): boolean {
  return /^final[ _]answer$/i.test(name);
}

/** A call as a reader of its dialect found it in the text. */
export type CallReading = WholeCall | UnreadableCall;

/**
 * Converts a value that holds all arguments: an object, a list, a string that encodes an object, or any other
 * string. Returns null for a string that begins like an object but cannot be decoded.
 */
function argumentList(value: JsonValue | undefined, spellings: Spellings): Argument[] | null {
  if (value === undefined || value === null || isBlank(value)) return [];
  if (Array.isArray(value)) return value.map((item) => ({ key: null, value: item }));
  if (typeof value !== 'string' || !value.trimStart().startsWith('{')) return [{ key: null, value }];
  const decoded = decode(value, spellings);
  return decoded === undefined ? null : [{ key: null, value: decoded }];
}

const isBlank = (value: JsonValue): boolean => typeof value === 'string' && value.trim() === '';

/** Returns the text of an object that is encoded as a string twice; undefined for any other value. */
function textEncodedTwice(value: JsonValue | undefined, spellings: Spellings): string | undefined {
  if (typeof value !== 'string' || !/^\s*"\s*\{/.test(value)) return undefined;
  const inner = decode(value, spellings);
  return typeof inner === 'string' && isJsonObject(decode(inner, spellings) ?? null) ? inner : undefined;
}

/** Reads a call's arguments from one value; the call is unreadable if that fails. */
export function withArguments(
  call: CallPlace & Pick<WholeCall, 'name' | 'thought' | 'isStepObject' | 'mayContinue'>,
  value: JsonValue | undefined,
  { spellings, repairs }: Pick<Scanner, 'spellings' | 'repairs'>,
): CallReading {
  const asText = isAnswerName(call.name) ? [{ key: null, value: value ?? null }] : null;
  const inner = asText ? undefined : textEncodedTwice(value, spellings);
  const isEmptyAnswer = asText !== null && value !== undefined && isBlank(value);
  const list = (isEmptyAnswer ? null : argumentList(inner ?? value, spellings)) ?? asText;
  const encoding: Repair[] = inner === undefined ? [] : ['coerced:arguments'];
  if (list) return { ...call, list, input: value, spellings, repairs: [...repairs, ...encoding] };
  const problem = `${call.name}: the arguments are no whole JSON object`;
  return { kind: 'unreadable', dialect: call.dialect, name: call.name, problem, cut: false };
}

/** Builds an unreadable call from a scanner that failed to read its arguments. */
export function unreadable(dialect: Dialect, name: string | null, scanner: Scanner): UnreadableCall {
  return {
    kind: 'unreadable',
    dialect,
    name,
    problem: scanner.problem ?? 'it cannot be read',
    cut: scanner.cut,
  };
}

/** Returns the tool's signature for a problem message, such as `read_file(path, start_line)`. */
export function signature(tool: OfferedTool): string {
  return `${tool.name}(${tool.parameters.join(', ')})`;
}
