import { isObject } from '../../conversation/is-object.js';
import { type Check, isText } from './shape.js';

/** A check and a description of the accepted values, worded like the service's messages. */
export type Expectation = readonly [check: Check, expected: string];

export const anObject: Expectation = [isObject, 'an object'];
export const aString: Expectation = [isText, 'a string'];

/** Returns what is wrong with a value, worded like the service's messages; undefined if the check accepts it. */
export function findValueProblem(
  path: string,
  value: unknown,
  [check, expected]: Expectation,
): string | undefined {
  if (check(value)) return undefined;
  return value === undefined
    ? `${path}: this field is required: ${expected}.`
    : `${path}: expected ${expected}.`;
}

/** Throws `TypeError` if the check refuses the value. The message is that of the service for the same mistake. */
export function expectValue(path: string, value: unknown, expectation: Expectation): void {
  const problem = findValueProblem(path, value, expectation);
  if (problem) throw new TypeError(problem);
}

/**
 * Throws `TypeError` for a field that is set and not in the table, such as an option of another SDK: nothing else would report
 * the mistake.
 */
export function expectKnown(path: string, value: object, table: object): void {
  const unknown = Object.entries(value).find(
    ([name, given]) => given !== undefined && !Object.hasOwn(table, name),
  );
  if (!unknown) return;
  const names = Object.keys(table).join(', ');
  throw new TypeError(`${path}.${unknown[0]}: there is no such option; expected one of: ${names}.`);
}
