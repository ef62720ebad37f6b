import { isObject } from '../../conversation/is-object.js';
import { type Check, isText } from './shape.js';

/** A check, and what it expects, in the words of the service. */
export type Expectation = readonly [check: Check, expected: string];

export const anObject: Expectation = [isObject, 'an object'];
export const aString: Expectation = [isText, 'a string'];

/** Throws `TypeError` with the same message as the service for this mistake. */
export function expectValue(path: string, value: unknown, [check, expected]: Expectation): void {
  if (check(value)) return;
  throw new TypeError(
    value === undefined ? `${path}: this field is required: ${expected}.` : `${path}: expected ${expected}.`,
  );
}
