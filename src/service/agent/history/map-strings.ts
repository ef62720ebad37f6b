import { isObject } from '../../../contract/fields.js';

/** All strings inside a JSON value, keys not counted. */
export function stringsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(stringsIn);
  return isObject(value) ? Object.values(value).flatMap(stringsIn) : [];
}

/** The value with each string inside it replaced, keys left as they are. */
export function mapStrings(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((each) => mapStrings(each, map));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapStrings(each, map)]));
}

/**
 * A value with U+FFFD for every NUL in its strings and keys; the very value if it has none. A request may hold
 * no NUL (rule: error-table), and whatever a model says must be fit to be sent back.
 */
export function withoutNul<Value>(value: Value): Value {
  return hasNul(value) ? (replaceNul(value) as Value) : value; // only characters of strings differ
}

function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (Array.isArray(value)) return value.some(hasNul);
  return isObject(value) && Object.entries(value).some((entry) => entry.some(hasNul));
}

function replaceNul(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD');
  if (Array.isArray(value)) return value.map(replaceNul);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [replaceNul(key), replaceNul(each)]));
}
