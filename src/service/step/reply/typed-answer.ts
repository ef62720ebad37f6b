import { findMismatch } from '../../../parsing/arguments/check-arguments.js';
import { type ExactJson, readExactJson } from '../../../parsing/text/exact-json.js';
import type { JsonValue } from '../../../parsing/text/scanner.js';

type JsonSchema = Readonly<Record<string, unknown>>;

/** The answer of a step with `answer_schema`, or the reason why there is none (rule: typed-answers). */
export interface TypedAnswer {
  readonly value: JsonValue;
  /** Null if the value fits the schema; otherwise the value is null. */
  readonly mismatch: string | null;
}

/**
 * Returns the first of the values that fits the schema. Otherwise describes why the first one does not; without any,
 * why the text is no JSON value.
 */
export function chooseAnswer(values: readonly JsonValue[], text: string, schema: JsonSchema): TypedAnswer {
  let mismatch: string | undefined;
  for (const value of values) {
    const found = findMismatch(value, schema);
    if (found === null) return { value, mismatch: null };
    mismatch ??= found;
  }
  const problem = mismatch ?? readAnswerText(text).problem ?? 'it is not complete';
  return { value: null, mismatch: `the answer does not fit answer_schema: ${problem}` };
}

/** Returns whether one of the values fits the schema. */
export const fits = (values: readonly JsonValue[], schema: JsonSchema): boolean =>
  values.some((value) => findMismatch(value, schema) === null);

/** Returns the JSON value that a text consists of, alone or in a code fence that ends it, as a list of at most one. */
export function valuesIn(text: string): JsonValue[] {
  const { value } = readAnswerText(text);
  return value === undefined ? [] : [value];
}

/** Returns a value that was written in an object, then the value that its text encodes. */
export const valuesOf = (value: JsonValue): JsonValue[] =>
  typeof value === 'string' ? [value, ...valuesIn(value)] : [value];

/** Returns an answer as text: strings as they are, all other values as JSON. */
export const answerText = (value: JsonValue): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

function readAnswerText(text: string): ExactJson {
  const whole = text.trim();
  return readExactJson(fencedText(whole) ?? whole);
}

/** Returns the content of a code fence that ends the text. JSON has no line that begins with a fence. */
function fencedText(text: string): string | undefined {
  const close = text.lastIndexOf('\n');
  if (close < 0 || !/^[ \t]*`{3,}$/.test(text.slice(close + 1))) return undefined;
  const lineOfOpener = text.lastIndexOf('\n', text.lastIndexOf('```', close)) + 1;
  const body = text.indexOf('\n', lineOfOpener) + 1;
  return /^[ \t]*`{3,}(?:json)?[ \t]*\r?$/i.test(text.slice(lineOfOpener, body - 1))
    ? text.slice(body, close)
    : undefined;
}
