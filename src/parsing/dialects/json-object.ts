import type { OfferedTools } from '../arguments/offered-tool.js';
import { isOneOf } from '../text/characters.js';
import { readJsonValue } from '../text/literals.js';
import { isJsonObject, type JsonObject, type JsonValue, Scanner } from '../text/scanner.js';
import { readStepObject } from './step-object.js';
import { type CallPlace, type CallReading, type Dialect, unreadable, withArguments } from './written-call.js';

/** Keys under which models put the tool's name and its arguments, preferred first (rule: json-call). */
const nameKeys = ['name', 'action', 'tool', 'tool_name', 'function'] as const;
const argumentKeys = ['arguments', 'action_input', 'args', 'tool_args', 'parameters', 'params'] as const;
/** Keys that wrap a call object. */
const wrapperKeys = ['tool_calls', 'tool_call', 'function_call', 'function', 'action', 'tool'] as const;
const MAX_WRAPPER_DEPTH = 4;

/** Options for reading the calls in a JSON value. */
interface JsonOptions {
  readonly dialect?: Dialect;
  /** If set, an object whose only key is the name of one of these tools is read as a call of that tool (Apertus). */
  readonly tools?: OfferedTools;
}

/** Reads `{"name": "tool", "arguments": {…}}`, or the first of a list of such objects. */
export function readJsonCall(text: string, start: number): CallReading | null {
  const reading = readJsonCalls(text, start);
  if (reading?.kind !== 'call') return reading;
  const { more: _, ...first } = reading;
  return first;
}

/** Reads one object that is a call, or all calls of a list or wrapper (rule: several-calls). */
export function readJsonCalls(text: string, start: number, options: JsonOptions = {}): CallReading | null {
  const { dialect = 'json', tools } = options;
  if (!isOneOf('{[', text, start)) return null;
  const scanner = new Scanner(text, start);
  const value = readJsonValue(scanner);
  if (value === undefined) return unreadable(dialect, null, scanner);
  const place = { kind: 'call', dialect, start, end: scanner.position } as const;
  const step = readStepObject(value, place, scanner);
  if (step) return step;
  const [first, ...others] = findCallObjects(value, tools).map((found) =>
    readCallObject(found, place, scanner),
  );
  if (!first)
    return unreadableObject(dialect, 'the JSON names no tool; write {"name": "tool", "arguments": {…}}');
  const more = others.flatMap((each) => (each.kind === 'call' ? each : []));
  return first.kind === 'call' && more.length > 0 ? { ...first, more, blockEnd: first.end } : first;
}

function readCallObject([name, object]: CallObject, place: CallPlace, scanner: Scanner): CallReading {
  const { dialect } = place;
  const argumentKey = argumentKeys.find((key) => Object.hasOwn(object, key));
  const others = Object.keys(object).filter((key) => !isAccompanying(key));
  if (argumentKey === undefined && others.length > 0) {
    return unreadableObject(dialect, `${name}: put the arguments under "arguments"`, name);
  }
  const { thought } = object;
  const written = { name, thought: typeof thought === 'string' ? thought.trim() : '', ...place };
  return withArguments(written, argumentKey === undefined ? undefined : object[argumentKey], scanner);
}

function unreadableObject(dialect: Dialect, problem: string, name: string | null = null): CallReading {
  return { kind: 'unreadable', dialect, name, problem, cut: false };
}

/** Whether a key such as an id may be beside the tool's name without being an argument. */
function isAccompanying(key: string): boolean {
  return ['id', 'type', 'thought', ...nameKeys].includes(key);
}

/** A tool's name and the object with its arguments. */
type CallObject = readonly [name: string, object: JsonObject];

/** Finds the calls in a value, inside lists and wrappers. */
function findCallObjects(value: JsonValue, tools: OfferedTools | undefined, depth = 0): CallObject[] {
  if (depth > MAX_WRAPPER_DEPTH) return [];
  if (Array.isArray(value)) return value.flatMap((each) => findCallObjects(each, tools, depth + 1));
  if (!isJsonObject(value)) return [];
  for (const key of nameKeys) {
    const name = Object.hasOwn(value, key) ? value[key] : undefined;
    if (typeof name === 'string' && name !== '') return [[plainName(name, tools), value]];
  }
  const wrapper = wrapperKeys.find((key) => Object.hasOwn(value, key));
  const wrapped = wrapper === undefined ? undefined : value[wrapper];
  return wrapped === undefined ? keyedCall(value, tools) : findCallObjects(wrapped, tools, depth + 1);
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
  return others.length === 0 && tools?.find(name) && isJsonObject(args) ? [[name, { arguments: args }]] : [];
}
