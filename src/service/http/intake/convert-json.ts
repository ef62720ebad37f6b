import { isObject } from '../../../contract/fields.js';
import type { Warning } from '../../../contract/step.js';
import { withoutNul } from '../../step/history/json-values.js';
import type { JsonScan } from './json-hazards.js';

/** A parsed body, and a warning for each kind of conversion. */
export interface ConvertedJson {
  readonly body: unknown;
  readonly warnings: readonly Warning[];
}

const nulReplaced: Warning = {
  code: 'nul_replaced',
  message: 'NUL characters were replaced by U+FFFD.',
};

const integerConverted: Warning = {
  code: 'integer_converted',
  message: 'Integers beyond 2^53 became text in the conversation, and were rounded elsewhere.',
};

/** The fields that contain the conversation, whose numbers must keep every digit. */
const conversationFields = ['messages', 'input'];

/**
 * Parses JSON in which a lenient scan found NUL or large integers, and converts them (rule: compatible-bodies). Throws
 * as `JSON.parse` does.
 */
export function parseConverting(
  text: string,
  { hasNul, largeIntegers }: Pick<JsonScan, 'hasNul' | 'largeIntegers'>,
): ConvertedJson {
  const rounded: unknown = JSON.parse(text);
  const body =
    largeIntegers.length === 0 ? rounded : withDigits(rounded, JSON.parse(quoted(text, largeIntegers)));
  return {
    body: hasNul ? withoutNul(body) : body,
    warnings: [...(hasNul ? [nulReplaced] : []), ...(largeIntegers.length > 0 ? [integerConverted] : [])],
  };
}

/** Returns a body with the conversation of `exact`, the same body with its large integers as text. */
function withDigits(rounded: unknown, exact: unknown): unknown {
  if (!isObject(rounded) || !isObject(exact)) return rounded;
  const kept = conversationFields.filter((name) => Object.hasOwn(exact, name));
  return { ...rounded, ...Object.fromEntries(kept.map((name) => [name, exact[name]])) };
}

/** Puts large integers in quotes, together with their signs. */
function quoted(text: string, integers: JsonScan['largeIntegers']): string {
  const parts: string[] = [];
  let copied = 0;
  for (const { start, end } of integers) {
    const signed = text[start - 1] === '-' ? start - 1 : start;
    parts.push(text.slice(copied, signed), '"', text.slice(signed, end), '"');
    copied = end;
  }
  return parts.join('') + text.slice(copied);
}
