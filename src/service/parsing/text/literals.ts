import { shorten } from '../arguments/offered-tool.js';
import { CharacterSet, isKeyCharacter } from './characters.js';
import type { JsonValue, Scanner } from './scanner.js';
import { readString, stringStart } from './strings.js';

/**
 * How deep arrays and objects may nest. A request's JSON is refused beyond 64 levels, and a call is four
 * levels deep in the history it will be sent back in.
 */
export const MAXIMUM_DEPTH = 56;

const constants: Readonly<Record<string, JsonValue>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  null: null,
  None: null,
};

/** Reads one JSON, Python or JavaScript value (rule: values); tuples become arrays. */
export function readValue(scanner: Scanner, depth = 0): JsonValue | undefined {
  if (scanner.atEnd) return scanner.failAtEnd('a value is missing at the end');
  if (!scanner.countValue()) return undefined;
  if (depth > MAXIMUM_DEPTH) return scanner.fail(`values are nested deeper than ${MAXIMUM_DEPTH} levels`);
  switch (scanner.current) {
    case '{':
      return readObject(scanner, depth);
    case '[':
      return readSequence(scanner, depth, ']');
    case '(':
      return readSequence(scanner, depth, ')');
    default:
      return stringStart(scanner) ? readString(scanner) : readWord(scanner);
  }
}

function readObject(scanner: Scanner, depth: number): JsonValue | undefined {
  scanner.take('{');
  const entries = new Map<string, JsonValue>();
  const spellings = new Map<string, string>();
  for (scanner.skipTrivia(); !scanner.take('}'); scanner.skipTrivia()) {
    const key = readKey(scanner);
    if (key === undefined) return undefined;
    const value = readItem(scanner, depth, (spelling) => spellings.set(key, spelling));
    if (value === undefined) return undefined;
    if (entries.has(key)) scanner.repairs.add('duplicate_key');
    entries.set(key, value);
    if (!endsItem(scanner, '}')) return undefined;
  }
  // fromEntries defines own properties, so `__proto__` is a key like any other
  const object: JsonValue = Object.fromEntries(entries);
  if (spellings.size > 0) scanner.spellings.set(object, spellings);
  return object;
}

/** An array, a tuple, or a value in parentheses. */
function readSequence(scanner: Scanner, depth: number, close: ']' | ')'): JsonValue | undefined {
  scanner.position += 1;
  const items: JsonValue[] = [];
  const spellings = new Map<number, string>();
  const keepSpelling = (spelling: string): unknown => spellings.set(items.length, spelling);
  let commas = 0;
  for (scanner.skipTrivia(); !scanner.take(close); scanner.skipTrivia()) {
    const value = readItem(scanner, depth, keepSpelling);
    if (value === undefined) return undefined;
    items.push(value);
    if (!endsItem(scanner, close)) return undefined;
    if (scanner.text.charAt(scanner.position - 1) === ',') commas += 1;
  }
  if (spellings.size > 0) scanner.spellings.set(items, spellings);
  const [only] = items;
  return close === ')' && commas === 0 && only !== undefined ? only : items;
}

function readItem(
  scanner: Scanner,
  depth: number,
  keepSpelling: (spelling: string) => unknown,
): JsonValue | undefined {
  const start = scanner.position;
  const value = readValue(scanner, depth + 1);
  if (typeof value === 'number') {
    const spelling = scanner.text.slice(start, scanner.position);
    if (spelling !== String(value)) keepSpelling(spelling);
  }
  return value;
}

/** After an item comes a comma or what closes the whole; the comma is taken. */
function endsItem(scanner: Scanner, close: string): boolean {
  scanner.skipTrivia();
  if (scanner.take(',') || scanner.current === close) return true;
  if (scanner.atEnd) scanner.failAtEnd(`\`${close}\` is missing at the end`);
  else scanner.fail(`\`,\` or \`${close}\` is missing before \`${excerpt(scanner)}\``);
  return false;
}

/** `"key":`, `key:` or `key=`. */
function readKey(scanner: Scanner): string | undefined {
  const start = scanner.position;
  const key = stringStart(scanner) ? readString(scanner) : readWordText(scanner);
  if (key === undefined) return undefined;
  const isMissing = scanner.position === start;
  scanner.skipTrivia();
  if (isMissing || !(scanner.take(':') || scanner.take('='))) {
    if (scanner.atEnd) return scanner.failAtEnd('an object is cut off in a key');
    return scanner.fail(`an object key is expected before \`${excerpt(scanner)}\``);
  }
  scanner.skipTrivia();
  return key;
}

/** A key without quotes, `''` if none stands here. */
export function readWordText(scanner: Scanner): string {
  const start = scanner.position;
  while (isKeyCharacter(scanner.text.charCodeAt(scanner.position))) scanner.position += 1;
  return scanner.text.slice(start, scanner.position);
}

const wordStops = new CharacterSet(' \t\r\n,;:()[]{}<>"\'`');

/** A constant, a number, or (leniently) a bare word. */
function readWord(scanner: Scanner): JsonValue | undefined {
  const start = scanner.position;
  const end = wordStops.nextIn(scanner.text, start);
  const word = scanner.text.slice(start, end);
  scanner.position = end;
  if (Object.hasOwn(constants, word)) return constants[word];
  if (word === 'undefined') {
    scanner.repairs.add('undefined_as_null');
    return null;
  }
  const number = readNumber(scanner, word);
  if (number !== undefined || scanner.problem) return number;
  if (scanner.lenient && isBareWord(word)) {
    scanner.repairs.add('bare_word');
    return word;
  }
  scanner.position = start;
  if (scanner.atEnd) return scanner.failAtEnd('a value is missing at the end');
  return scanner.fail(`\`${excerpt(scanner)}\` is no value; quote text`);
}

/** A bare word may become text unless it looks elided or is a number that JSON cannot hold. */
export function isBareWord(word: string): boolean {
  const number = Number(word);
  const unbounded = number === Number.POSITIVE_INFINITY || number === Number.NEGATIVE_INFINITY;
  return word !== '' && word !== 'NaN' && !unbounded && !word.endsWith('...') && !word.endsWith('…');
}

/** As nearly all are written, and a double holds them: a list may have a million. */
const plainNumber = /^-?(?:0|[1-9]\d{0,14})$/;
const decimal = /^[-+]?(?:\d+(?:_\d+)*)?(?:\.(?:\d+(?:_\d+)*)?)?(?:[eE][-+]?\d+)?$/;
const based = /^([-+]?)0(?:[xX][\da-fA-F]+|[oO][0-7]+|[bB][01]+)$/;

/**
 * Numbers of the three languages. An integer that a double cannot hold keeps its digits as text, and
 * the repair says so; what overflows to infinity is no value.
 */
function readNumber(scanner: Scanner, word: string): number | string | undefined {
  if (plainNumber.test(word)) return Number(word) || 0; // no -0
  if (word.length > 1100 || !(based.test(word) || isDecimal(word))) {
    return /^[-+]?\d{1100,}$/.test(word) ? bigInteger(scanner, word) : undefined;
  }
  const sign = word.startsWith('-') ? -1 : 1;
  const value = sign * Number(word.replace(/^[-+]/, '').replaceAll('_', ''));
  if (!Number.isFinite(value)) return scanner.fail(`${shorten(word)} is beyond the range of numbers`);
  const integer = !/[.eE]/.test(word) || based.test(word);
  if (integer && !Number.isSafeInteger(value)) return bigInteger(scanner, word);
  return value;
}

function bigInteger(scanner: Scanner, digits: string): string {
  scanner.repairs.add('big_integer_as_text');
  return digits;
}

/** Leading zeros (`00123`) are an identifier, not a number, in all three languages. */
function isDecimal(word: string): boolean {
  return decimal.test(word) && /\d/.test(word) && !/^[-+]?0\d/.test(word) && !/^[-+]?[eE]/.test(word);
}

/** What stands here, cut to a few characters, for a problem's words. */
export function excerpt(scanner: Scanner): string {
  return shorten(scanner.text.slice(scanner.position, scanner.position + 31).split('\n', 1)[0] ?? '', 30);
}
