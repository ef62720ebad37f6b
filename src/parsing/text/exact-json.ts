import type { JsonValue } from './scanner.js';

/** A JSON value, or the reason why a text is not one that can be used. */
export type ExactJson =
  | { readonly value: JsonValue; readonly problem: null }
  | { readonly value: undefined; readonly problem: string };

/**
 * Parses a text that is one JSON value. Rejects values that are nested too deeply and, unless `rounds` is true, values
 * that JavaScript cannot represent exactly. Takes linear time.
 */
export function readExactJson(text: string, { rounds = false } = {}): ExactJson {
  try {
    const value: JsonValue = JSON.parse(text);
    const problem = describeLoss(text, rounds);
    return problem === null ? { value, problem } : { value: undefined, problem };
  } catch {
    return { value: undefined, problem: 'it is not one JSON value: write JSON and nothing else' };
  }
}

/**
 * Parses a text that is one JSON value. A number that JavaScript cannot represent becomes a string of its characters, so
 * that no digit is lost. Throws `SyntaxError` if the text is not JSON. Texts without such numbers take little more time
 * than `JSON.parse`.
 */
export function parseJsonKeepingDigits(text: string): JsonValue {
  const value: JsonValue = JSON.parse(text);
  if (!mayLoseDigits.test(text)) return value;
  const parts: string[] = [];
  let copied = 0;
  suspects.lastIndex = 0;
  for (let found = suspects.exec(text); found; found = suspects.exec(text)) {
    const { 0: token, index } = found;
    if (token.startsWith('"') || isExact(token)) continue;
    parts.push(text.slice(copied, index), '"', token, '"');
    copied = index + token.length;
  }
  return copied === 0 ? value : JSON.parse(parts.join('') + text.slice(copied));
}

const LONG_NUMBER = String.raw`\d{16}|\d+(?:\.\d+)?[eE]\+?\d{3}`;

/** Matches in every text with a number that JavaScript cannot represent, and rarely in others. */
const mayLoseDigits = new RegExp(String.raw`(?:^|[[:,\s-])(?:${LONG_NUMBER})`);

/** Matches numbers that JavaScript may be unable to represent, and strings, because these may contain such digits. */
const suspects = new RegExp(
  String.raw`"[^"\\]*(?:\\.[^"\\]*)*"|(?<![\d.eE+-])-?(?=${LONG_NUMBER})\d+(?:\.\d+)?(?:[eE][+-]?\d+)?`,
  'g',
);

const isNumber = (token: string): boolean => /^[-\d]/.test(token);

/**
 * Maximum number of nesting levels. The service would refuse deeper JSON in a request, and recursive code would
 * overflow the stack.
 */
const MAX_DEPTH = 64;

/** Matches strings, numbers and brackets. Every number is matched as a whole, so that none is scanned twice. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/**
 * Describes why a valid JSON text cannot be used as a value: a number would change (unless `rounds` is true), or it is
 * nested too deeply. Null if it can be used.
 */
function describeLoss(json: string, rounds: boolean): string | null {
  if (isTooDeep(json)) return `it is nested deeper than ${MAX_DEPTH} levels`;
  if (rounds) return null;
  tokens.lastIndex = 0;
  for (let found = tokens.exec(json); found; found = tokens.exec(json)) {
    const [token] = found;
    if (isNumber(token) && !isExact(token))
      return `the number ${token.slice(0, 40)} is too large to be represented exactly`;
  }
  return null;
}

/** Whether a valid JSON text is nested deeper than the service accepts. */
export function isTooDeep(json: string): boolean {
  let depth = 0;
  tokens.lastIndex = 0;
  for (let found = tokens.exec(json); found && depth <= MAX_DEPTH; found = tokens.exec(json)) {
    const [token] = found;
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
  }
  return depth > MAX_DEPTH;
}

/** Every integer with at most this many characters is exact. */
const EXACT_LENGTH = 15;

/**
 * Whether JavaScript can represent a number. An integer beyond 2^53 must keep its digits; fractions may be rounded, as
 * in any language.
 */
function isExact(number: string): boolean {
  if (number.length <= EXACT_LENGTH || /[.eE]/.test(number)) return Number.isFinite(Number(number));
  return Number.isSafeInteger(Number(number)) || String(Number(number)) === number;
}
