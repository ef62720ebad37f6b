import { CharacterSet, isKeyCharacter, isOneOf, shorten, skipSpace } from './characters.js';
import { type JsonObject, type JsonValue, Scanner, type Spellings } from './scanner.js';
import { readString, stringStart } from './strings.js';

/**
 * Maximum nesting of arrays and objects. The service refuses requests with more than 64 levels, and the history in
 * which a later request contains the call adds four levels.
 */
export const MAX_DEPTH = 56;

const constants: Readonly<Record<string, JsonValue>> = {
  true: true,
  True: true,
  false: false,
  False: false,
  null: null,
  None: null,
};

/** Reads one JSON, Python or JavaScript value (rule: values). A tuple becomes an array. */
export function readValue(scanner: Scanner): JsonValue | undefined {
  return mayBegin(scanner, 0) ? readAt(scanner, 0) : undefined;
}

/** Reads a text that encodes one value; undefined if more text follows it. */
export function decode(encoded: string, spellings: Spellings): JsonValue | undefined {
  const scanner = new Scanner(encoded, skipSpace(encoded, 0), { spellings });
  const value = readValue(scanner);
  return skipSpace(encoded, scanner.position) >= encoded.length ? value : undefined;
}

/**
 * Reads one value. If `JSON.parse` accepts the whole value, even a list, its strings are decoded with JSON's escapes.
 */
export function readJsonValue(scanner: Scanner): JsonValue | undefined {
  const start = scanner.position;
  const value = readValue(scanner);
  const isUnclear = value !== undefined && scanner.repairs.has('literal_backslashes');
  if (!isUnclear || !isJson(scanner.text.slice(start, scanner.position))) return value;
  scanner.repairs.delete('literal_backslashes');
  scanner.isJson = true;
  const exact = scanner.readAgain(start, () => readValue(scanner));
  scanner.isJson = false;
  return exact;
}

/** Whether a value may begin at the position, with this nesting depth. If not, the scanner records the problem. */
function mayBegin(scanner: Scanner, depth: number): boolean {
  if (scanner.atEnd) scanner.failAtEnd('a value is missing at the end');
  else if (scanner.countValue() && depth > MAX_DEPTH)
    scanner.fail(`values are nested deeper than ${MAX_DEPTH} levels`);
  return scanner.problem === null;
}

const opensContainer = ({ text, position }: Scanner): boolean => isOneOf('{[(', text, position);

function readAt(scanner: Scanner, depth: number): JsonValue | undefined {
  if (opensContainer(scanner)) return readContainer(scanner, depth);
  return stringStart(scanner) ? readString(scanner) : readWord(scanner);
}

function readContainer(scanner: Scanner, depth: number): JsonValue | undefined {
  if (scanner.current === '{') return depth === 0 ? readOuterObject(scanner) : readObject(scanner, depth);
  return readSequence(scanner, depth, scanner.current === '[' ? ']' : ')');
}

/**
 * Reads an object. If it is valid JSON, its strings are decoded with JSON's escapes; otherwise strings may keep
 * backslashes as written.
 */
function readOuterObject(scanner: Scanner): JsonValue | undefined {
  const start = scanner.position;
  const before = scanner.repairs.delete('literal_backslashes');
  let object = readObject(scanner, 0);
  const { text, position } = scanner;
  if (scanner.repairs.has('literal_backslashes') && isJson(text.slice(start, position))) {
    scanner.repairs.delete('literal_backslashes');
    scanner.isJson = true;
    object = scanner.readAgain(start, () => readObject(scanner, 0));
    scanner.isJson = false;
  }
  if (before) scanner.repairs.add('literal_backslashes');
  return object;
}

/** Whether `JSON.parse` accepts a text. */
export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function readObject(scanner: Scanner, depth: number): JsonValue | undefined {
  scanner.take('{');
  const object: JsonObject = {};
  const spellings = new Map<string, string>();
  for (scanner.skipTrivia(); !scanner.take('}'); scanner.skipTrivia()) {
    const key = readKey(scanner);
    if (key === undefined || !mayBegin(scanner, depth + 1)) return undefined;
    const start = scanner.position;
    const value = readAt(scanner, depth + 1);
    if (value === undefined) return undefined;
    if (Object.hasOwn(object, key)) scanner.repairs.add('duplicate_key');
    setOwn(object, key, value);
    const spelling = spellingOf(value, scanner, start);
    if (spelling !== undefined) spellings.set(key, spelling);
    if (!endsItem(scanner, '}')) return undefined;
  }
  if (spellings.size > 0) scanner.spellings.set(object, spellings);
  return object;
}

/** Reads an array, a tuple, or a value in parentheses. */
function readSequence(scanner: Scanner, depth: number, close: ']' | ')'): JsonValue | undefined {
  scanner.position += 1;
  const items: JsonValue[] = [];
  const spellings = new Map<number, string>();
  let commas = 0;
  for (scanner.skipTrivia(); !scanner.take(close); scanner.skipTrivia()) {
    if (!mayBegin(scanner, depth + 1)) return undefined;
    const start = scanner.position;
    const value = readAt(scanner, depth + 1);
    if (value === undefined) return undefined;
    const spelling = spellingOf(value, scanner, start);
    if (spelling !== undefined) spellings.set(items.length, spelling);
    items.push(value);
    if (!endsItem(scanner, close)) return undefined;
    if (scanner.text.charAt(scanner.position - 1) === ',') commas += 1;
  }
  if (spellings.size > 0) scanner.spellings.set(items, spellings);
  const [only] = items;
  return close === ')' && commas === 0 && only !== undefined ? only : items;
}

/** Matches an integer with leading zeros, which is not a number in JSON, Python or JavaScript. */
const zeroLed = /^[-+]?0+\d{1,15}$/;

/**
 * Returns the text of the value that began at `start` if the check against the declared type may need it: the text of a
 * number that JavaScript would write differently, or unquoted digits with leading zeros, which stay text unless a
 * number is declared.
 */
export function spellingOf(value: JsonValue, { text, position }: Scanner, start: number): string | undefined {
  if (typeof value !== 'number' && typeof value !== 'string') return undefined;
  const spelling = text.slice(start, position);
  if (typeof value === 'string') return spelling === value && zeroLed.test(spelling) ? spelling : undefined;
  return spelling === String(value) ? undefined : spelling;
}

/** Sets a property of any name. A plain assignment to `__proto__` would set the prototype instead. */
export function setOwn(object: JsonObject, name: string, value: JsonValue): void {
  if (name !== '__proto__') object[name] = value;
  else Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
}

/** Skips the comma after an item; false if neither a comma nor the closing bracket follows. */
function endsItem(scanner: Scanner, close: string): boolean {
  scanner.skipTrivia();
  if (scanner.take(',') || scanner.current === close) return true;
  if (scanner.atEnd) scanner.failAtEnd(`\`${close}\` is missing at the end`);
  else scanner.fail(`\`,\` or \`${close}\` is missing before \`${excerpt(scanner)}\``);
  return false;
}

/** Reads a key with its separator: `"key":`, `key:` or `key=`. */
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

/** Reads a key without quotes; `''` if there is none. */
export function readWordText(scanner: Scanner): string {
  const start = scanner.position;
  while (isKeyCharacter(scanner.text.charCodeAt(scanner.position))) scanner.position += 1;
  return scanner.text.slice(start, scanner.position);
}

const wordStops = new CharacterSet(' \t\r\n\u00a0\u202f\u3000\ufeff,;:()[]{}<>"\'`');

/** Reads a constant, a number or, in a lenient reading, an unquoted word. */
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

/** Whether an unquoted word may become text. It may not if it begins with a quote mark or
 * ends in an ellipsis, or is infinity or `NaN`. */
export function isBareWord(word: string): boolean {
  const number = Number(word);
  const unbounded = number === Number.POSITIVE_INFINITY || number === Number.NEGATIVE_INFINITY;
  return (
    word !== '' &&
    !/^[”„«»「」『』]/.test(word) &&
    word !== 'NaN' &&
    !unbounded &&
    !word.endsWith('...') &&
    !word.endsWith('…')
  );
}

/** Matches a number in its most common form, which a double holds exactly. Makes reading long lists fast. */
const plainNumber = /^-?(?:0|[1-9]\d{0,14})$/;
const decimal = /^[-+]?(?:\d+(?:_\d+)*)?(?:\.(?:\d+(?:_\d+)*)?)?(?:[eE][-+]?\d+)?$/;
const based = /^([-+]?)0(?:[xX][\da-fA-F]+|[oO][0-7]+|[bB][01]+)$/;

/**
 * Reads a number in JSON, Python or JavaScript syntax. An integer beyond a double's precision keeps its digits as text,
 * with a repair; a number that overflows to infinity is refused.
 */
function readNumber(scanner: Scanner, word: string): number | string | undefined {
  if (plainNumber.test(word)) return Number(word) || 0; // Turns -0 into 0.
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

/** Whether a word is a decimal number. With leading zeros (`00123`) it is not one in JSON, Python or JavaScript. */
function isDecimal(word: string): boolean {
  return decimal.test(word) && /\d/.test(word) && !/^[-+]?0\d/.test(word) && !/^[-+]?[eE]/.test(word);
}

/** Returns the next few characters of the line, for a problem message. */
export function excerpt(scanner: Scanner): string {
  const near = scanner.text.slice(scanner.position, scanner.position + 31);
  const end = near.indexOf('\n');
  return shorten(end < 0 ? near : near.slice(0, end), 30);
}
