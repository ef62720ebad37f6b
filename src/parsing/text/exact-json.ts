import type { JsonValue } from './scanner.js';

/** A JSON value, or the reason why a text is not one. */
export type ExactJson =
  | { readonly value: JsonValue; readonly problem: null }
  | { readonly value: undefined; readonly problem: string };

/**
 * Reads a text that is one JSON value, which JavaScript represents exactly and which is not nested too deeply. The time
 * is linear in the length.
 */
export function readExactJson(text: string): ExactJson {
  try {
    const value: JsonValue = JSON.parse(text);
    const problem = describeLoss(text);
    return problem === null ? { value, problem } : { value: undefined, problem };
  } catch {
    return { value: undefined, problem: 'it is not one JSON value: write JSON and nothing else' };
  }
}

/** Maximum number of levels; deeper JSON would be refused in a request, and overflow the stack of code that walks it. */
const MAX_DEPTH = 64;

/** Matches strings, numbers and brackets. Every number is matched as a whole, so that none is scanned twice. */
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[[\]{}]|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g;

/** Describes what a valid JSON text would lose when it is used as a value; null if nothing. */
function describeLoss(json: string): string | null {
  let depth = 0;
  tokens.lastIndex = 0;
  for (let found = tokens.exec(json); found; found = tokens.exec(json)) {
    const [token] = found;
    if (token === '{' || token === '[') depth += 1;
    else if (token === '}' || token === ']') depth -= 1;
    else if (!token.startsWith('"') && !isExact(token))
      return `the number ${token.slice(0, 40)} is too large to be represented exactly`;
    if (depth > MAX_DEPTH) return `it is nested deeper than ${MAX_DEPTH} levels`;
  }
  return null;
}

/** Any integer of at most this many characters is exact. */
const EXACT_LENGTH = 15;

/** Returns whether an integer beyond 2^53 is written as JavaScript writes it; fractions are rounded in any language. */
function isExact(number: string): boolean {
  if (number.length <= EXACT_LENGTH || /[.eE]/.test(number)) return Number.isFinite(Number(number));
  return Number.isSafeInteger(Number(number)) || String(Number(number)) === number;
}
