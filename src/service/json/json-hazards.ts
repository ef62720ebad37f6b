import type { ErrorDetail } from '../../contract/step.js';

/** JSON that parses but cannot be handled faithfully, or not by everybody it reaches (rule: body-limits). */
export class JsonHazard extends Error {
  override readonly name = 'JsonHazard';
  /** Where it stands in the text. */
  readonly at: number;
  readonly detail: ErrorDetail;

  constructor(at: number, code: string, message: string) {
    super(message);
    this.at = at;
    this.detail = { path: '', code, message };
  }
}

/** Deeper JSON overflows the stack of code that walks or writes it; V8's parser itself does not mind. */
const MAX_DEPTH = 64;
/** Objects and arrays of one body: each takes some hundred bytes of memory, however short it is written. */
const MAX_CONTAINERS = 500_000;
/** Fields of one object: more of them are slow to look up, and to check one by one. */
const MAX_FIELDS = 50_000;
/** What should not be handled. */
export interface JsonLimits {
  readonly depth: number;
  readonly containers: number;
  /** Of one object. */
  readonly fields: number;
  /** Numbers that JavaScript cannot hold are none. */
  readonly exactNumbers: boolean;
}

/** What reaches others after us. */
export const requestLimits: JsonLimits = {
  depth: MAX_DEPTH,
  containers: MAX_CONTAINERS,
  fields: MAX_FIELDS,
  exactNumbers: true,
};

/**
 * Characters that are parsed at once, in some 2 ms: too few for more values or fields than are allowed, since the shortest
 * container takes three characters and the shortest field five.
 */
export const MAX_AT_ONCE = 192 * 1024;

/** Throws `JsonHazard` for a text of at most `MAX_AT_ONCE` characters that should not be handled; it may be no JSON at all. */
export function refuseHazards(text: string): void {
  findLongStrings(text);
  refuseNul(text);
}

/** Where a string begins in a text, and where it ends, its quotes included. */
export interface StringRange {
  readonly start: number;
  readonly end: number;
}

/** Shorter strings are not worth a place of their own. */
const LONG_STRING = 4 * 1024;

/** Where the long strings of a text stand; names of fields are among them. Refuses all hazards but NUL, which is in strings. */
export function findLongStrings(text: string): StringRange[] {
  const found: StringRange[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; ) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) {
      const end = endOfString(text, at);
      if (end - at >= LONG_STRING) found.push({ start: at, end });
      at = end;
    } else if (isDigit(char)) at = endOfNumber(text, at);
    else {
      if (isOpening(char)) depth += 1;
      else if (isClosing(char)) depth -= 1;
      if (depth > MAX_DEPTH) throw tooDeep(at);
      at += 1;
    }
  }
  return found;
}

export const tooDeep = (at: number, levels = MAX_DEPTH): JsonHazard =>
  new JsonHazard(at, 'too_deep', `nested deeper than ${levels} levels`);

/** `[` or `{`. */
const isOpening = (char: number): boolean => char === 0x5b || char === 0x7b;
/** `]` or `}`. */
const isClosing = (char: number): boolean => char === 0x5d || char === 0x7d;

/** The position after the string that begins here. Jumps from quote to quote: strings are most of a body. */
function endOfString(text: string, start: number): number {
  let end = start;
  do {
    end = text.indexOf('"', end + 1);
    if (end < 0) return text.length;
  } while (countBackslashes(text, end) % 2 === 1);
  return end + 1;
}

export function countBackslashes(text: string, before: number): number {
  let count = 0;
  while (text.charCodeAt(before - 1 - count) === BACKSLASH) count += 1;
  return count;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** Throws if a string holds `\u0000` as an escape, not as a backslash followed by text. A raw NUL is not JSON at all. */
export function refuseNul(text: string): void {
  // From its second character: each line break and quote of a text is a backslash.
  for (let at = text.indexOf('u0000'); at >= 0; at = text.indexOf('u0000', at + 1)) {
    if (countBackslashes(text, at) % 2 === 1) {
      throw new JsonHazard(at - 1, 'nul_character', 'a string contains the character NUL');
    }
  }
}

/** The shortest numbers that can be out of range, such as `1e999`, have more characters than this. */
const SAFE_DIGITS = 3;

/** No number that a program writes has more. */
const MAX_DIGITS = 1_000;

export const isDigit = (char: number): boolean => char >= 0x30 && char <= 0x39;

/** The position after the number that begins here. Throws if JavaScript cannot hold it. */
export function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end - start <= MAX_DIGITS && isNumberPart(text.charCodeAt(end))) end += 1;
  if (end - start > MAX_DIGITS || (end - start > SAFE_DIGITS && !isHeld(text.slice(start, end)))) {
    throw new JsonHazard(start, 'number_out_of_range', 'a number is beyond what can be held exactly (2^53)');
  }
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
