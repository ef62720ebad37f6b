import { isObject } from '../../conversation/is-object.js';

/**
 * Replaces each NUL in the texts and names of a JSON value by U+FFFD. The service refuses requests with NUL, so one in a
 * tool's output would end the run and every run that continues it (rule: nul-in-histories).
 */
export function withoutNul<Value extends object | string>(value: Value): Value {
  const json = JSON.stringify(value);
  // Most values have no NUL and are returned as they are.
  return json.includes(String.raw`\u0000`) ? JSON.parse(json, replaceNul) : value;
}

const replaceIn = (text: string): string => text.replaceAll('\0', '\uFFFD');

function replaceNul(_name: string, value: unknown): unknown {
  if (typeof value === 'string') return replaceIn(value);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [replaceIn(name), member]));
}
