import { findMismatch } from '../../../parsing/arguments/check-arguments.js';
import { type ExactJson, readExactJson } from '../../../parsing/text/exact-json.js';
import { type JsonValue, Scanner } from '../../../parsing/text/scanner.js';
import type { ReplyFormat } from '../types.js';

type JsonSchema = Readonly<Record<string, unknown>>;

/** The answer of a step with `answer_schema`, or the reason why there is none (rule: typed-answers). */
export interface TypedAnswer {
  readonly value: JsonValue;
  /** The reason why the answer does not fit the schema, in which case the value is null; otherwise null. */
  readonly mismatch: string | null;
}

/**
 * Returns the first of the values that fits the schema. If none fits, describes why the first one does not. If
 * there are no values, describes why the text is not JSON.
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

/**
 * Returns the JSON value that is the whole text or in the last code fence of the text, as a list of at most one value.
 */
export function valuesIn(text: string): JsonValue[] {
  const { value } = readAnswerText(text);
  return value === undefined ? [] : [value];
}

/**
 * Like `valuesIn`, but only for JSON with numbers that JavaScript cannot represent exactly; these are rounded in the
 * value.
 */
export function roundedValuesIn(text: string): JsonValue[] {
  if (valuesIn(text).length > 0) return [];
  const { value } = readExactJson(jsonTextIn(text), { rounds: true });
  return value === undefined ? [] : [value];
}

/**
 * Returns the possible readings of a value: the value itself and, if it is a string that contains JSON, the value
 * of that JSON.
 */
export const valuesOf = (value: JsonValue): JsonValue[] =>
  typeof value === 'string' ? [value, ...valuesIn(value)] : [value];

/** Converts values from the provider's schema back to the caller's. Omits those that do not conform to the former. */
export const restored = (values: readonly JsonValue[], format: ReplyFormat | undefined): JsonValue[] =>
  values.flatMap((value) => {
    const back = format?.restoreAnswer?.(value, new Scanner('', 0));
    return back === undefined ? [] : [back];
  });

/** Returns an answer as text: a string unchanged, any other value as JSON. */
export const answerText = (value: JsonValue): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

const readAnswerText = (text: string): ExactJson => readExactJson(jsonTextIn(text));

/** Returns the part of an answer that should be JSON: the content of its last code fence, or the whole text. */
export function jsonTextIn(text: string): string {
  const whole = text.trim();
  return fencedText(whole) ?? whole;
}

/**
 * Returns the content of the last code fence in a text. No line of JSON can begin with a code fence, so the line
 * before the last one that does opens it.
 */
function fencedText(text: string): string | undefined {
  const mark = text.lastIndexOf('```');
  const close = text.lastIndexOf('\n', mark);
  if (close < 0 || !/^\n[ \t]*`{3,}[ \t]*\r?(?:\n|$)/.test(text.slice(close))) return undefined;
  const lineOfOpener = text.lastIndexOf('\n', text.lastIndexOf('```', close)) + 1;
  const body = text.indexOf('\n', lineOfOpener) + 1;
  return /^[ \t]*`{3,}(?:json)?[ \t]*\r?$/i.test(text.slice(lineOfOpener, body - 1))
    ? text.slice(body, close)
    : undefined;
}
