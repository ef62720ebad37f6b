import type { OfferedTools } from '../arguments/offered-tool.js';
import { isOneOf, skipSpace } from '../text/characters.js';
import { readJsonValue, readValue } from '../text/literals.js';
import { isJsonObject, type JsonObject, type JsonValue, Scanner } from '../text/scanner.js';
import { readStepObject } from './step-object.js';
import { type CallPlace, type CallReading, type Dialect, unreadable, withArguments } from './written-call.js';

/** Keys under which models put the tool's name and its arguments, preferred first (rule: json-call). */
const nameKeys = ['name', 'action', 'tool', 'tool_name', 'function'] as const;
const argumentKeys = ['arguments', 'action_input', 'args', 'tool_args', 'parameters', 'params'] as const;
/** Keys under which other protocols put the arguments. They are not read, so a call that has one is malformed. */
const foreignKeys = ['input', 'tool_input'] as const;
/** Keys that wrap a call object. */
const wrapperKeys = ['tool_calls', 'tool_call', 'function_call', 'function', 'action', 'tool'] as const;
const MAX_WRAPPER_DEPTH = 4;

/** Options for reading the calls in a JSON value. */
interface JsonOptions {
  readonly dialect?: Dialect;
  /**
   * If set, an object whose only key is the name of one of these tools is read as a call of that tool (Apertus), and a
   * declared parameter beside the arguments makes the call malformed.
   */
  readonly tools?: OfferedTools;
  /**
   * True after a label or a mark of calls. The definition of a tool is then a broken call; elsewhere it is no call.
   */
  readonly isMarked?: boolean;
}

/** Reads `{"name": "tool", "arguments": {…}}`, or the first of a list of such objects. */
export function readJsonCall(text: string, start: number, tools: OfferedTools): CallReading | null {
  const reading = readJsonCalls(text, start, { tools });
  if (reading?.kind !== 'call') return reading;
  const { more: _, ...first } = reading;
  return first;
}

/** Reads one object that is a call, or all calls of a list or wrapper (rule: several-calls). */
export function readJsonCalls(text: string, start: number, options: JsonOptions = {}): CallReading | null {
  const { dialect = 'json', tools, isMarked = false } = options;
  if (!isOneOf('{[', text, start)) return null;
  const scanner = new Scanner(text, start);
  const value = readJsonValue(scanner);
  if (value === undefined) return unreadable(dialect, null, scanner);
  const place = { kind: 'call', dialect, start, end: scanner.position } as const;
  const step = readStepObject(value, place, scanner);
  if (step) return step;
  const objects = findCallObjects(value, tools);
  const [first, ...others] = objects
    .filter((found) => !isDefinition(found, tools))
    .map((found) => readCallObject(found, place, { scanner, tools }));
  if (!first && objects.length > 0 && !isMarked) return null;
  if (!first) {
    const fault = objects.length > 0 ? 'defines a tool and does not call it' : 'names no tool';
    return unreadableObject(dialect, `the JSON ${fault}; write {"name": "tool", "arguments": {…}}`);
  }
  const more = others.flatMap((each) => (each.kind === 'call' ? each : []));
  return first.kind === 'call' && more.length > 0 ? { ...first, more, blockEnd: first.end } : first;
}

function readCallObject(
  found: CallObject,
  place: CallPlace,
  { scanner, tools }: { scanner: Scanner; tools: OfferedTools | undefined },
): CallReading {
  const { name, object, around } = found;
  const given = [object, ...around].flatMap((each) =>
    argumentKeys.flatMap((key) => (Object.hasOwn(each, key) ? (each[key] ?? null) : [])),
  );
  const values = given.filter((value) => value !== null);
  if (values.length > 1 || hasStrayArgument(found, given.length > 0, tools)) {
    return unreadableObject(place.dialect, `${name}: put all arguments under "arguments"`, name);
  }
  const thought = [object, ...around].map((each) => each['thought']).find((each) => typeof each === 'string');
  return withArguments({ name, thought: thought?.trim() ?? '', ...place }, values[0], scanner);
}

/** Whether a key outside the arguments may hold one of them, which the call would lose (rule: arguments). */
function hasStrayArgument(
  { name, object, around }: CallObject,
  hasArguments: boolean,
  tools: OfferedTools | undefined,
): boolean {
  if ([object, ...around].some((each) => foreignKeys.some((key) => (each[key] ?? null) !== null)))
    return true;
  const isDeclared = (key: string): boolean => tools?.declares(name, key) ?? false;
  const keys = Object.keys(object).filter((key) => !isArgumentKey(key));
  if (hasArguments) return keys.some((key) => !isAccompanying(key) && isDeclared(key));
  return (
    keys.some((key) => !isAccompanying(key) || isDeclared(key) || isJsonObject(object[key] ?? null)) ||
    around.some((each) =>
      Object.keys(each).some((key) => !isAccompanying(key) && isDeclared(key) && each[key] !== null),
    )
  );
}

/** Matches a tag or a key with which arguments outside the object of their call may begin. */
const argumentKey = /<(?<tag>[\w-]{1,200})>|"(?<key>[\w-]{1,200})"\s{0,8}:/y;

/**
 * Whether the text at `position` has arguments for the tool. After a call of the tool, they would be lost (rule:
 * arguments).
 */
export function holdsArguments(text: string, position: number, name: string, tools: OfferedTools): boolean {
  const start = skipSpace(text, position);
  argumentKey.lastIndex = start;
  const { tag, key = tag } = argumentKey.exec(text)?.groups ?? {};
  const isArgument = (each: string): boolean => isArgumentKey(each) || tools.declares(name, each);
  if (key !== undefined && (tag === undefined ? isArgument(key) : isArgumentKey(key))) return true;
  if (text.charAt(start) !== '{') return false;
  const value = readValue(new Scanner(text, start));
  if (!isJsonObject(value ?? null)) return false;
  return Object.keys(value ?? {}).some(isArgument);
}

/** Whether arguments for the tool follow its call at `position`, and no further call. */
export function losesArguments(text: string, position: number, name: string, tools: OfferedTools): boolean {
  const isFurther = (): boolean => readJsonCalls(text, skipSpace(text, position), { tools })?.kind === 'call';
  return holdsArguments(text, position, name, tools) && !isFurther();
}

function unreadableObject(dialect: Dialect, problem: string, name: string | null = null): CallReading {
  return { kind: 'unreadable', dialect, name, problem, cut: false };
}

/** Whether a key such as an id may be beside the tool's name without being an argument. */
function isAccompanying(key: string): boolean {
  return ['id', 'type', 'thought', ...nameKeys].includes(key);
}

const schemaKeys = ['parameters', 'input_schema', 'inputSchema'] as const;

/** Whether the object defines a tool: it has a schema of the arguments, which the tool itself does not take. */
function isDefinition({ name, object }: CallObject, tools: OfferedTools | undefined): boolean {
  return schemaKeys.some((key) => {
    const schema = Object.hasOwn(object, key) ? object[key] : undefined;
    if (schema === undefined || !isJsonObject(schema) || schema['type'] !== 'object') return false;
    return isJsonObject(schema['properties'] ?? null) && !tools?.declares(name, 'properties');
  });
}

/** Whether models put all arguments of a call under this key. */
export const isArgumentKey = (key: string): boolean => argumentKeys.some((each) => each === key);

/** A call in a JSON value. */
interface CallObject {
  readonly name: string;
  /** The entries beside the tool's name. */
  readonly object: JsonObject;
  /** The entries beside the object, for each object that wraps it. */
  readonly around: readonly JsonObject[];
}

/** Finds the calls in a value, inside lists and wrappers. */
function findCallObjects(value: JsonValue, tools: OfferedTools | undefined, depth = 0): CallObject[] {
  if (depth > MAX_WRAPPER_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((each) => findCallObjects(each, tools, depth + 1));
  if (!isJsonObject(value)) return [];
  for (const key of nameKeys) {
    if (!Object.hasOwn(value, key)) continue;
    const { [key]: name, ...object } = value;
    if (typeof name === 'string' && name !== '')
      return [{ name: plainName(name, tools), object, around: [] }];
  }
  const wrapper = wrapperKeys.find((key) => Object.hasOwn(value, key));
  if (wrapper === undefined) return keyedCall(value, tools);
  const { [wrapper]: wrapped = null, ...beside } = value;
  const found = findCallObjects(wrapped, tools, depth + 1);
  const [only, ...others] = found;
  if (only && others.length === 0) return [{ ...only, around: [...only.around, beside] }];
  // With arguments beside several calls, it is unclear to which of them they belong.
  return Object.keys(beside).some(isArgumentKey) ? [] : found;
}

/** Removes the prefix `functions.` from a name if only the name without it is an offered tool. */
function plainName(name: string, tools: OfferedTools | undefined): string {
  const plain = name.replace(/^functions\./, '');
  return tools?.find(plain) && !tools.find(name) ? plain : name;
}

/** Reads an object such as `{"search": {…}}`, whose only key is the name of an offered tool. */
function keyedCall(value: JsonObject, tools: OfferedTools | undefined): CallObject[] {
  const [entry, ...others] = Object.entries(value);
  const [name = '', args = null] = entry ?? [];
  return others.length === 0 && tools?.find(name) && isJsonObject(args)
    ? [{ name, object: { arguments: args }, around: [] }]
    : [];
}
