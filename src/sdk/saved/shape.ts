/** Whether a value read from outside has the shape of a type. */
export type Check = (value: unknown) => boolean;

/** A check for each field of a type: what the type has, no shape can forget. */
export type Fields<Type> = { readonly [Name in keyof Required<Type>]: Check };

/** Deeper than any run goes; what walks through a value is not to run out of stack. */
const MAX_DEPTH = 200;

export const isText: Check = (value) => typeof value === 'string';
export const isNumber: Check = (value) => typeof value === 'number';
export const isBoolean: Check = (value) => typeof value === 'boolean';

/** JSON of any shape that can be walked through. */
export const isShallow: Check = (value) => depthIsAtMost(value, MAX_DEPTH);

export const oneOf =
  (...values: readonly unknown[]): Check =>
  (value) =>
    values.includes(value);

export const nullable =
  (check: Check): Check =>
  (value) =>
    value === null || check(value);

/** Left out, or null, which means the same (rule: null-is-absent). */
export const optional =
  (check: Check): Check =>
  (value) =>
    value === undefined || value === null || check(value);

export const listOf =
  (check: Check): Check =>
  (value) =>
    Array.isArray(value) && value.every(check);

export const isObject: Check = (value) =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && isShallow(value);

/** An object with these fields; more of them are no harm. */
export const shapeOf = <Type>(fields: Fields<Type>): Check => {
  // The checks of a type's fields are an object of functions by name.
  const checks = Object.entries(fields) as [string, Check][];
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
    const given: Readonly<Record<string, unknown>> = { ...value };
    return checks.every(([name, check]) => check(given[name]));
  };
};

function depthIsAtMost(value: unknown, depth: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return depth > 0 && Object.values(value).every((item) => depthIsAtMost(item, depth - 1));
}
