import { isObject } from '../../conversation/is-object.js';

/** A function that returns whether an untyped value, such as parsed JSON, has the shape of a type. */
export type Check = (value: unknown) => boolean;

/** One check for each field of a type: the compiler reports a field that has none. */
export type Fields<Type> = { readonly [Name in keyof Required<Type>]: Check };

/**
 * Maximum nesting depth of JSON values, far more than a run needs. Deeper values could overflow the stack of recursive
 * code.
 */
const MAX_DEPTH = 200;

export const isText: Check = (value) => typeof value === 'string';
export const isNumber: Check = (value) => typeof value === 'number';
export const isWholeNumber: Check = Number.isInteger;
export const isBoolean: Check = (value) => typeof value === 'boolean';

/** Accepts any JSON value that is not nested too deeply. */
export const isJsonValue: Check = (value) => isWithinDepth(value, MAX_DEPTH);

/** Accepts any JSON object that is not nested too deeply. */
export const isJsonObject: Check = (value) => isObject(value) && isJsonValue(value);

export const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);

/** Accepts an absent field or null, which mean the same (rule: null-is-absent). */
export const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || value === null || check(value);

export const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

/** Accepts objects with these fields; further fields are not checked. */
export const shapeOf = <Type>(fields: Fields<Type>): Check => {
  // Cast: each entry is a name and its check, but `Object.entries` loses the value type of a mapped type.
  const checks = Object.entries(fields) as [string, Check][];
  // Reads own fields only: an inherited `constructor` is not a field of the object.
  return (value) =>
    isObject(value) &&
    checks.every(([name, check]) => check(Object.hasOwn(value, name) ? value[name] : undefined));
};

function isWithinDepth(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((item) => isWithinDepth(item, depth - 1));
}
