import type { ErrorDetail } from '../../../contract/step.js';

/** Deeper JSON overflows the stack of code that walks or writes it; V8's parser itself does not mind. */
const maxDepth = 64;

/**
 * Looks for JSON that parses but cannot be handled faithfully: too deep, NUL in a string, a number that
 * JavaScript cannot hold. One pass over the text before it is parsed; text that is not JSON is left to the parser.
 */
export function findJsonHazard(text: string): ErrorDetail | undefined {
  let depth = 0;
  for (let at = 0; at < text.length; ) {
    const char = text.charCodeAt(at);
    if (char === quote) {
      at = endOfString(text, at);
      continue;
    }
    if (char === openBrace || char === openBracket) depth += 1;
    if (char === closeBrace || char === closeBracket) depth -= 1;
    if (depth > maxDepth) return hazards.depth;
    const end = isDigit(char) ? endOfNumber(text, at) : at + 1;
    if (end - at > safeDigits && !isHeld(text.slice(at, end))) return hazards.number;
    at = end;
  }
  return hasNul(text) ? hazards.nul : undefined;
}

const hazards = {
  depth: detail('too_deep', `nested deeper than ${maxDepth} levels`),
  number: detail('number_out_of_range', 'a number is beyond what can be held exactly (2^53)'),
  nul: detail('nul_character', 'a string contains the character NUL'),
} as const satisfies Record<string, ErrorDetail>;

function detail(code: string, message: string): ErrorDetail {
  return { path: '', code, message };
}

const quote = 0x22;
const backslash = 0x5c;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** The position after the string that begins here. Jumps from quote to quote: strings are most of a body. */
function endOfString(text: string, start: number): number {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
  } while (countBackslashes(text, end) % 2 === 1);
  return end + 1;
}

function countBackslashes(text: string, before: number): number {
  let count = 0;
  while (text.charCodeAt(before - 1 - count) === backslash) count += 1;
  return count;
}

/** `\u0000` that is an escape, not a backslash followed by text. A raw NUL is not JSON at all. */
function hasNul(text: string): boolean {
  for (let at = text.indexOf('\\u0000'); at >= 0; at = text.indexOf('\\u0000', at + 1)) {
    if (countBackslashes(text, at) % 2 === 0) return true;
  }
  return false;
}

/** The shortest numbers that can be out of range, such as `1e999`, have more characters than this. */
const safeDigits = 3;

const isDigit = (char: number): boolean => char >= 0x30 && char <= 0x39;

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (isNumberPart(text.charCodeAt(end))) end += 1;
  return end;
}

/** Digits, `.`, `e`, `E`, `+`, `-`. */
const isNumberPart = (char: number): boolean =>
  isDigit(char) || char === 0x2e || char === 0x65 || char === 0x45 || char === 0x2b || char === 0x2d;

/**
 * An integer beyond 2^53 passes only where it comes out as it went in: so JSON writes the float 2.5e20, and a
 * history that holds one must be fit to be sent back.
 */
function isHeld(literal: string): boolean {
  const value = Number(literal);
  if (!/^\d+$/.test(literal)) return Number.isFinite(value);
  return Number.isSafeInteger(value) || String(value) === literal;
}
