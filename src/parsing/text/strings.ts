import { character, isDigit } from './characters.js';
import type { Scanner } from './scanner.js';

const smartQuotes: Readonly<Record<string, string>> = { '“': '”', '‘': '’' };
const stringPrefixes = new Set(['r', 'b', 'u', 'f', 'br', 'rb', 'fr', 'rf']);
const simpleEscapes: ReadonlyMap<string, string> = new Map(
  Object.entries({
    n: '\n',
    r: '\r',
    t: '\t',
    b: '\b',
    f: '\f',
    v: '\v',
    a: '\x07',
    '\\': '\\',
    "'": "'",
    '"': '"',
    '\n': '',
  }),
);
/** Number of hexadecimal digits after the letter of an escape, such as 2 after `x`. */
const hexEscapes: ReadonlyMap<string, number> = new Map([
  ['x', 2],
  ['u', 4],
  ['U', 8],
]);

export interface StringStart {
  prefix: string;
  /** The closing quote: one or three characters. */
  close: string;
  /** Position of the first character after the opening quote. */
  inside: number;
}

/**
 * Returns the start of a JSON, Python or JavaScript string at the position. In the lenient reading, the string may be
 * in “smart quotes”.
 */
export function stringStart(scanner: Scanner): StringStart | null {
  const { text, position } = scanner;
  let at = position;
  while (at - position < 2 && 'rbufRBUF'.includes(text.charAt(at) || ' ')) at += 1;
  const prefix = text.slice(position, at).toLowerCase();
  if (prefix !== '' && !stringPrefixes.has(prefix)) return null;
  const quote = text.charAt(at);
  if (quote === '"' || quote === "'") {
    const close = text.startsWith(quote.repeat(3), at) ? quote.repeat(3) : quote;
    return { prefix, close, inside: at + close.length };
  }
  if (prefix !== '') return null;
  if (quote === '`') return { prefix, close: quote, inside: at + 1 };
  const smart = scanner.lenient ? smartQuotes[quote] : undefined;
  return smart ? { prefix, close: smart, inside: at + 1 } : null;
}

/**
 * Reads a string, and joins adjacent ones as Python does (`'a' "b"`). Line breaks inside any quotes are kept (rule:
 * values).
 */
export function readString(scanner: Scanner): string | undefined {
  let joined: string | undefined;
  for (let start = stringStart(scanner); start; start = nextPart(scanner)) {
    const part = readPart(scanner, start);
    if (part === undefined) return undefined;
    joined = (joined ?? '') + part;
  }
  return joined;
}

/**
 * Returns the start of an adjacent string that Python would join with the previous one. A backtick after a string
 * instead closes inline code, and a letter directly after a quote (`"press "r" now"`) shows that the inner quotes were
 * not escaped.
 */
function nextPart(scanner: Scanner): StringStart | null {
  const end = scanner.position;
  scanner.skipTrivia();
  const start = stringStart(scanner);
  const joins = start?.prefix === '' || (scanner.position > end && !start?.prefix.includes('b'));
  if (start && joins && start.close !== '`') return start;
  scanner.position = end;
  return null;
}

/** Reads one string without joining adjacent ones. */
export function readSingleString(scanner: Scanner): string | undefined {
  const start = stringStart(scanner);
  return start ? readPart(scanner, start) : undefined;
}

function readPart(scanner: Scanner, start: StringStart): string | undefined {
  const { text } = scanner;
  const end = closingQuote(text, start.inside, start.close);
  if (end < 0) {
    scanner.position = text.length;
    return scanner.failAtEnd(`a string is opened with ${start.close} and never closed`);
  }
  scanner.position = end + start.close.length;
  if (smartQuotes[text.charAt(start.inside - 1)]) scanner.repairs.add('smart_quotes');
  const written = text.slice(start.inside, end);
  if (start.prefix.includes('f') && /[{}]/.test(written)) {
    return scanner.fail('an f-string is no literal; write the text itself');
  }
  return start.prefix.includes('r') ? written : resolveEscapes(scanner, written, start.close);
}

/** Returns the position of the quote that closes a string open at `from`; -1 if there is none. */
export function closingQuote(text: string, from: number, close: string): number {
  const first = close.charCodeAt(0);
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === character.backslash) at += 1;
    else if (code === first && text.startsWith(close, at)) return at;
  }
  return -1;
}

/**
 * Resolves the escapes of a literal: JSON's in an object that is JSON, JavaScript's in a template string, otherwise
 * Python's and JavaScript's together. If a backslash begins no escape, or one for a control character, the model did
 * not write escapes: the backslashes stay as written, and a repair reports it (rule: values).
 */
export function resolveEscapes(scanner: Scanner, written: string, quote: string): string {
  if (!written.includes('\\')) return written;
  if (scanner.isJson) return parseString(written) ?? written;
  const isDrivePath = beginsLikeDrive.test(written);
  const resolved = isDrivePath ? undefined : readEscapes(written, quote);
  if (resolved !== undefined) return resolved;
  scanner.repairs.add('literal_backslashes');
  return isDrivePath || beginsLikeShare.test(written) ? written : written.replace(anyEscape, resolvePlain);
}

/**
 * Matches a literal of one line that begins with a drive letter, a colon and a single backslash. No name of a file begins
 * with a quote mark, so an escaped one belongs to other text (`q:\"two words\"`).
 */
const beginsLikeDrive = /^[A-Za-z]:\\(?![\\"'`])[^\r\n]*$/;
/** Matches a literal of one line that begins like a network path (`\\server`). */
const beginsLikeShare = /^\\\\[^\r\n]*$/;

const anyEscape = /\\([\s\S])/g;
/** Letters of the escapes that are resolved even in a literal whose other backslashes stay as written. */
const plainLetters = `nt"'\\`;
const resolvePlain = (pair: string, letter: string): string =>
  (plainLetters.includes(letter) && simpleEscapes.get(letter)) || pair;

/**
 * Returns the text with all escapes resolved; undefined if a backslash begins no escape, or an escape for a control
 * character.
 */
function readEscapes(written: string, quote: string): string | undefined {
  const json = quote === '"' && written.length > WORTH_A_TRY ? parseString(written) : undefined;
  if (json !== undefined && !unintended.test(json)) return json;
  const parts: string[] = [];
  let done = 0;
  for (let at = written.indexOf('\\'); at >= 0; at = written.indexOf('\\', done)) {
    const found = readEscape(written, at, quote);
    if (!found || isUnintended(written, at, found)) return undefined;
    parts.push(written.slice(done, at), found.value);
    done = at + found.length;
  }
  return parts.join('') + written.slice(done);
}

/** Control characters that no model intends to write, apart from `\n`, `\t` and `\r`. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const unintended = /[\x00-\x08\x0b\x0c\x0e-\x1f]/;

/** Whether an escape stands for a control character by accident. An escape such as `\u0007` can only be intended. */
const isUnintended = (written: string, at: number, { value }: Escape): boolean =>
  unintended.test(value) && written.charAt(at + 1) !== 'u';

/**
 * Length above which a string is first read with `JSON.parse`. In a string this long, a failed attempt costs little in
 * comparison.
 */
const WORTH_A_TRY = 2 ** 12;

/** Resolves JSON's escapes; undefined if the string is not valid JSON. */
function parseString(written: string): string | undefined {
  try {
    return JSON.parse(`"${written}"`);
  } catch {
    return undefined;
  }
}

interface Escape {
  readonly value: string;
  /** Number of characters of the escape as written, with the backslash. */
  readonly length: number;
}

/** Returns the escape at a backslash; null if there is none. */
function readEscape(written: string, backslash: number, quote: string): Escape | null {
  const letter = written.charAt(backslash + 1);
  const simple = simpleEscapes.get(letter);
  if (simple !== undefined) return { value: simple, length: 2 };
  if (letter === '\r') return { value: '', length: written.charAt(backslash + 2) === '\n' ? 3 : 2 };
  if (letter === '/' && quote === '"') return { value: '/', length: 2 };
  const numeric = readNumericEscape(written, backslash);
  if (numeric) return numeric;
  return quote === '`' ? { value: letter, length: 2 } : null;
}

/** Reads `\x41`, `\u0041`, `\u{1F680}`, `\U0001F680` and octal `\101`; null if the digits are missing. */
function readNumericEscape(written: string, backslash: number): Escape | null {
  const letter = written.charAt(backslash + 1);
  const braced =
    letter === 'u' ? /^\{([0-9a-fA-F]{1,6})\}/.exec(written.slice(backslash + 2, backslash + 10)) : null;
  if (braced) return codePoint(Number.parseInt(braced[1] ?? '', 16), 2 + braced[0].length);
  const octal =
    isDigit(letter.charCodeAt(0)) && /^[0-7]{1,3}/.exec(written.slice(backslash + 1, backslash + 4));
  if (octal) return codePoint(Number.parseInt(octal[0], 8), 1 + octal[0].length);
  const count = hexEscapes.get(letter);
  if (count === undefined) return null;
  const digits = written.slice(backslash + 2, backslash + 2 + count);
  if (digits.length < count || !/^[0-9a-fA-F]+$/.test(digits)) return null;
  return codePoint(Number.parseInt(digits, 16), 2 + count);
}

function codePoint(code: number, length: number): Escape | null {
  return code <= 0x10ffff ? { value: String.fromCodePoint(code), length } : null;
}
