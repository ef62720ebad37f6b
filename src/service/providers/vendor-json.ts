import { isObject } from '../../contract/fields.js';
import { parseJsonKeepingDigits } from '../../parsing/text/exact-json.js';

export type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the JSON value of a text, or undefined if the text is not JSON. A byte order mark before it is ignored. Numbers
 * that JavaScript cannot represent are strings of their digits, because some servers send arguments as an object.
 */
export function parseJson(text: string): unknown {
  try {
    return parseJsonKeepingDigits(text.startsWith('\uFEFF') ? text.slice(1) : text);
  } catch {
    return undefined;
  }
}

/** Returns whether the data of an event is the end mark of OpenAI's streams, which gateways send for each API. */
export const isEndMark = (data: string): boolean => data.startsWith('[DONE]');

/** Returns the fields of an object; none for any other value. */
export const fieldsOf = (value: unknown): Fields => (isObject(value) ? value : {});

/** Returns the objects of a list. Some servers send one object where a list is documented. */
export const objectsIn = (value: unknown): readonly Fields[] =>
  (Array.isArray(value) ? value : [value]).filter(isObject);

/** Returns the arguments of a call as JSON text. Some servers send them as a value instead. */
export function argumentsIn(value: unknown): string {
  if (typeof value === 'string') return value;
  return value == null ? '' : writeJson(value);
}

/**
 * Levels of nested values that are kept if V8 cannot serialize all of them. Arguments nested this deep are
 * rejected anyway.
 */
const MAX_WRITTEN_DEPTH = 100;

export function writeJson(value: unknown): string {
  try {
    return JSON.stringify(value);
  } catch {
    // Serializing failed because the value is nested too deeply for the stack. The shortened value is still too
    // deep to be accepted as arguments.
    return JSON.stringify(downTo(MAX_WRITTEN_DEPTH, value));
  }
}

function downTo(levels: number, value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return null;
  if (Array.isArray(value)) return value.map((each) => downTo(levels - 1, each));
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, downTo(levels - 1, each)]));
}
