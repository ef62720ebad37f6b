import { isObject } from '../../../contract/fields.js';

/** Returns all strings in a JSON value, except the keys of objects. */
export function stringsIn(value: unknown): string[] {
  const strings: string[] = [];
  collectStrings(value, strings);
  return strings;
}

function collectStrings(value: unknown, strings: string[]): void {
  if (typeof value === 'string') strings.push(value);
  else if (Array.isArray(value)) for (const each of value) collectStrings(each, strings);
  else if (isObject(value)) for (const key in value) collectStrings(value[key], strings);
}

/** Replaces every string in a JSON value. Keys of objects stay unchanged. */
export function mapStrings(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') return map(value);
  if (Array.isArray(value)) return value.map((each) => mapStrings(each, map));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, mapStrings(each, map)]));
}

/**
 * Replaces every NUL in the strings and keys of a value by U+FFFD. Returns the same object if it contains none.
 * The service rejects requests with NUL (rule: error-table), and the caller must be able to send a model's text
 * back to it.
 */
export function withoutNul<Value>(value: Value): Value {
  return hasNul(value) ? (replaceNul(value) as Value) : value; // the structure is unchanged
}

function hasNul(value: unknown): boolean {
  if (typeof value === 'string') return value.includes('\0');
  if (Array.isArray(value)) return value.some(hasNul);
  if (!isObject(value)) return false;
  for (const key in value) if (key.includes('\0') || hasNul(value[key])) return true;
  return false;
}

function replaceNul(value: unknown): unknown {
  if (typeof value === 'string') return value.replaceAll('\0', '\uFFFD');
  if (Array.isArray(value)) return value.map(replaceNul);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [replaceNul(key), replaceNul(each)]));
}

/** Returns whether two JSON values are equal, ignoring the order of keys. Stops at the first difference. */
export function sameValue(one: unknown, other: unknown): boolean {
  if (one === other) return true;
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((each, at) => sameValue(each, other[at]))
    );
  }
  if (!isObject(one) || !isObject(other)) return false;
  const keys = Object.keys(one);
  return (
    keys.length === Object.keys(other).length &&
    keys.every((key) => Object.hasOwn(other, key) && sameValue(one[key], other[key]))
  );
}
