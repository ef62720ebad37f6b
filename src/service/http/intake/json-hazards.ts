import type { ErrorDetail } from '../../../contract/step.js';

/**
 * A place in valid JSON that other programs read differently, or that needs far more memory or time than its size
 * suggests (rule: body-limits).
 */
interface JsonHazard {
  /** Position of the hazard in the text. */
  readonly at: number;
  readonly detail: ErrorDetail;
}

/** Maximum depth. Deeper JSON overflows the stack of code that walks or writes it, although V8 can parse it. */
const MAX_DEPTH = 64;
/**
 * Maximum number of objects and arrays in one body, because even an empty one takes about a hundred bytes of
 * memory.
 */
const MAX_CONTAINERS = 150_000;
/** Maximum number of fields of one object, because larger objects are slow to read and to check. */
const MAX_FIELDS = 50_000;
/** Maximum number of integers beyond 2^53 that a lenient scan accepts, because each is slow to check and to convert. */
const MAX_LARGE_INTEGERS = 10_000;

/**
 * Memory that values need in addition to their text, converted to bytes in flight (rule: overload). Measured: 140
 * bytes of memory for an object or array, up to 220 for a field, and up to 40 for an item of a list
 * (docs/decisions/fairness.md).
 */
const OVERHEAD_BYTES = { container: 16, field: 16, item: 2 };

/** The findings about a text that may be invalid JSON. */
export interface JsonScan {
  /** The first hazard of the text. */
  readonly hazard: JsonHazard | undefined;
  /**
   * Memory that the values need in addition to their text, in bytes in flight; counted only up to the hazard if
   * there is one.
   */
  readonly overheadBytes: number;
  /** True if a string or a key contains NUL. */
  readonly hasNul: boolean;
  /** The integers beyond 2^53 that the scan did not report as a hazard. */
  readonly largeIntegers: readonly NumberSpan[];
}

/** Position of a number in a text, without its sign. */
interface NumberSpan {
  readonly start: number;
  readonly end: number;
}

/**
 * Scans a text, which may be invalid JSON. Reads each character once and skips strings from quote to quote. With
 * `isLenient`, NUL and up to 10,000 integers beyond 2^53 are no hazards, because the service converts them.
 */
export function scanJson(text: string, { isLenient = false } = {}): JsonScan {
  const nul = findNul(text);
  const containers = new OpenContainers();
  const largeIntegers: NumberSpan[] = [];
  const other = findOutsideStrings(text, containers, isLenient ? largeIntegers : undefined);
  const hazard = nul && !isLenient && (!other || nul.at < other.at) ? nul : other;
  return { hazard, overheadBytes: containers.overheadBytes, hasNul: nul !== undefined, largeIntegers };
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const BACKSLASH = 0x5c;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Finds the first hazard outside of strings. Collects large integers in `largeIntegers` if it is given. */
function findOutsideStrings(
  text: string,
  containers: OpenContainers,
  largeIntegers: NumberSpan[] | undefined,
): JsonHazard | undefined {
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    else if (isDigit(char)) {
      const end = endOfNumber(text, at);
      if (!isExact(text, at, end)) {
        const isConvertible = largeIntegers && isFiniteInteger(text, at, end);
        if (!isConvertible || largeIntegers.length >= MAX_LARGE_INTEGERS) return outOfRange(at);
        largeIntegers.push({ start: at, end });
      }
      at = end - 1;
    } else {
      const found = containers.read(char, at);
      if (found) return found;
    }
  }
  return undefined;
}

/** Tracks the open objects and arrays of a text, and counts all containers and the fields of each object. */
class OpenContainers {
  #count = 0;
  #fields = 0;
  #allCommas = 0;
  /** Number of commas so far in the innermost object; minus infinity in an array. */
  #commas = 0;
  /** Values of `#commas` for the enclosing containers, outermost first. */
  readonly #outer: number[] = [];

  get overheadBytes(): number {
    const { container, field, item } = OVERHEAD_BYTES;
    return this.#count * container + this.#fields * field + this.#allCommas * item;
  }

  read(char: number, at: number): JsonHazard | undefined {
    switch (char) {
      case COLON:
        this.#fields += 1;
        return undefined;
      case COMMA:
        this.#allCommas += 1;
        this.#commas += 1;
        return this.#commas >= MAX_FIELDS ? tooManyFields(at) : undefined;
      case OPEN_BRACE:
        return this.#open(at, 0);
      case OPEN_BRACKET:
        return this.#open(at, Number.NEGATIVE_INFINITY);
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        this.#commas = this.#outer.pop() ?? 0;
    }
    return undefined;
  }

  #open(at: number, commas: number): JsonHazard | undefined {
    this.#count += 1;
    this.#outer.push(this.#commas);
    this.#commas = commas;
    if (this.#outer.length > MAX_DEPTH) return tooDeep(at);
    return this.#count > MAX_CONTAINERS ? tooManyValues(at) : undefined;
  }
}

const hazard = (at: number, code: string, message: string): JsonHazard => ({
  at,
  detail: { path: '', code, message },
});

const tooDeep = (at: number) => hazard(at, 'too_deep', `nested deeper than ${MAX_DEPTH} levels`);
const tooManyValues = (at: number) =>
  hazard(at, 'too_many_values', `more than ${MAX_CONTAINERS} objects and arrays`);
const tooManyFields = (at: number) =>
  hazard(at, 'too_many_fields', `an object has more than ${MAX_FIELDS} fields`);
const outOfRange = (at: number) =>
  hazard(at, 'number_out_of_range', 'a number is too large to be represented exactly (above 2^53)');

/** Returns the position of the quote that closes the string opened at `start`, or the end of the text. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

/** Returns whether an odd number of backslashes precedes a position. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (at - first) % 2 === 1;
}

/**
 * Finds `\u0000` that is an escape, not text after an escaped backslash. A raw NUL needs no search, because it is
 * invalid JSON.
 */
function findNul(text: string): JsonHazard | undefined {
  for (let at = text.indexOf('u0000'); at >= 0; at = text.indexOf('u0000', at + 1)) {
    if (isEscaped(text, at)) return hazard(at - 1, 'nul_character', 'a string contains the character NUL');
  }
  return undefined;
}

/** Maximum length of a number. Longer ones are rejected unread, because parsing them takes more than linear time. */
const MAX_NUMBER_LENGTH = 1_000;
/** A number of at most this many characters is always exact if it has no exponent. */
const EXACT_LENGTH = 15;

const isDigit = (char: number): boolean => char >= 0x30 && char <= 0x39;

function endOfNumber(text: string, start: number): number {
  let end = start + 1;
  while (end - start <= MAX_NUMBER_LENGTH && isNumberPart(text.charCodeAt(end))) end += 1;
  return end;
}

/** Returns whether a character is a digit, `.`, `e`, `E`, `+` or `-`. */
const isNumberPart = (char: number): boolean =>
  isDigit(char) || char === 0x2e || char === 0x65 || char === 0x45 || char === 0x2b || char === 0x2d;

/**
 * Returns whether JavaScript represents the number exactly. An integer beyond 2^53 passes only if `JSON.stringify`
 * writes it as it was sent, because a caller must be able to send back a float such as 2.5e20 from its history.
 */
function isExact(text: string, start: number, end: number): boolean {
  const length = end - start;
  if (length > MAX_NUMBER_LENGTH) return false;
  const literal = text.slice(start, end);
  if (length <= EXACT_LENGTH && !/e/i.test(literal)) return true;
  const value = Number(literal);
  if (!/^\d+$/.test(literal)) return Number.isFinite(value);
  return Number.isSafeInteger(value) || String(value) === literal;
}

function isFiniteInteger(text: string, start: number, end: number): boolean {
  if (end - start > MAX_NUMBER_LENGTH) return false;
  const literal = text.slice(start, end);
  return /^\d+$/.test(literal) && Number.isFinite(Number(literal));
}
