import { isOneOf } from '../text/characters.js';
import { readValue } from '../text/literals.js';
import { type JsonObject, type JsonValue, Scanner } from '../text/scanner.js';
import { readStepObject } from './step-object.js';
import { type CallPlace, type CallReading, type Dialect, unreadable, withArguments } from './written-call.js';

/** Keys under which models put the tool's name and its arguments, preferred first (rule: json-call). */
const nameKeys = ['name', 'action', 'tool', 'tool_name', 'function'] as const;
const argumentKeys = ['arguments', 'action_input', 'args', 'tool_args', 'parameters', 'params'] as const;
/** Keys that wrap a call object. */
const wrapperKeys = ['tool_calls', 'tool_call', 'function_call', 'function', 'action', 'tool'] as const;
const MAX_WRAPPER_DEPTH = 4;

/** Reads `{"name": "tool", "arguments": {…}}`, or the first of a list of such objects. */
export function readJsonCall(text: string, start: number, dialect: Dialect = 'json'): CallReading | null {
  if (!isOneOf('{[', text, start)) return null;
  const scanner = new Scanner(text, start);
  const value = readValue(scanner);
  if (value === undefined) return unreadable(dialect, null, scanner);
  const place = { kind: 'call', dialect, start, end: scanner.position } as const;
  return readStepObject(value, place, scanner) ?? readCallObject(value, place, scanner);
}

function readCallObject(value: JsonValue, place: CallPlace, scanner: Scanner): CallReading {
  const { dialect } = place;
  const call = findCallObject(value);
  if (!call) {
    return unreadableObject(dialect, 'the JSON names no tool; write {"name": "tool", "arguments": {…}}');
  }
  const [name, object] = call;
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

/** Whether a key may accompany the name without being an argument. */
function isAccompanying(key: string): boolean {
  return ['id', 'type', 'thought', ...nameKeys].includes(key);
}

/** Finds the tool's name and the object of its arguments, inside lists and wrappers. */
function findCallObject(value: JsonValue, depth = 0): [string, JsonObject] | null {
  if (depth > MAX_WRAPPER_DEPTH) return null;
  if (Array.isArray(value)) return value[0] === undefined ? null : findCallObject(value[0], depth + 1);
  if (typeof value !== 'object' || value === null) return null;
  for (const key of nameKeys) {
    const name = Object.hasOwn(value, key) ? value[key] : undefined;
    if (typeof name === 'string' && name !== '') return [name, value];
  }
  const wrapper = wrapperKeys.find((key) => Object.hasOwn(value, key));
  const wrapped = wrapper === undefined ? undefined : value[wrapper];
  return wrapped === undefined ? null : findCallObject(wrapped, depth + 1);
}
