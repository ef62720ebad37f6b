/** Character codes, for scans over long texts where slicing strings is too slow. */
export const character = {
  tab: 9,
  newline: 10,
  space: 32,
  asterisk: 42,
  minus: 45,
  dot: 46,
  less: 60,
  openBracket: 91,
  backslash: 92,
  backtick: 96,
} as const;

const LINE_SEPARATOR = 0x2028;
const PARAGRAPH_SEPARATOR = 0x2029;
const LAST_ASCII = 0x7f;
/** Greatest character code of control characters and Latin punctuation. The codes above it are mostly letters. */
const LAST_LATIN_SIGN = 0xbf;

/** Whether a character is white space within a line; in other scripts than Latin, this may be U+3000, for example. */
export function isBlank(code: number): boolean {
  if (code <= LAST_ASCII) return code === character.space || code === character.tab;
  return isWhiteSpace(code) && code !== LINE_SEPARATOR && code !== PARAGRAPH_SEPARATOR;
}

/** Whether a character is white space, a line break or a byte order mark, so that `trim` removes it. */
export function isWhiteSpace(code: number): boolean {
  if (code <= LAST_ASCII) return code === character.space || (code >= character.tab && code <= 13);
  return String.fromCharCode(code).trim() === '';
}

export function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

function isLatinLetter(code: number): boolean {
  return (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
}

/** Whether a character may be in a name: letters of any script, digits, `_`, `$`. */
export function isWordCharacter(code: number): boolean {
  return isLatinLetter(code) || isDigit(code) || code === 95 || code === 36 || isForeignLetter(code);
}

/** Whether a character may be in an unquoted key: letters, digits, `_`, `$`, `-`, `.`. */
export function isKeyCharacter(code: number): boolean {
  return isWordCharacter(code) || code === character.minus || code === character.dot;
}

/** Matches punctuation, white space and invisible characters, such as `，`, but not those that join letters. */
const foreignSign = /[\p{P}\p{Z}]|(?![\u200c\u200d])\p{Cf}/u;

const isForeignLetter = (code: number): boolean =>
  code > LAST_LATIN_SIGN && !foreignSign.test(String.fromCharCode(code));

/** A set of characters for fast searches through long texts. */
export class CharacterSet {
  readonly #holds = new Uint8Array(2 ** 16);

  constructor(characters: string) {
    for (let at = 0; at < characters.length; at += 1) this.#holds[characters.charCodeAt(at)] = 1;
  }

  /** Whether the set has this code; false for NaN, the code after the end of a text. */
  has(code: number): boolean {
    return this.#holds[code] === 1;
  }

  /**
   * Returns the first position of a character of the set, from `position` on; `limit` or the text's end if
   * there is none.
   */
  nextIn(text: string, position: number, limit = text.length): number {
    const end = Math.min(limit, text.length);
    let at = position;
    while (at < end && this.#holds[text.charCodeAt(at)] === 0) at += 1;
    return at;
  }
}

/**
 * A set of words for fast comparison at many positions. Looks at the two characters at index `key` of a possible word
 * first, and compares only the words that have the same two there.
 */
export class FixedWords<Word extends string = string> {
  readonly #key: number;
  readonly #keys: CharacterSet;
  readonly #longest: number;
  readonly #byKey = new Map<number, Word[]>();
  /**
   * The words, grouped by their two characters from index `key` on. Grouping by one would not be enough, since hundreds
   * of tokens begin with `<|`.
   */
  readonly #byPair = new Map<number, Word[]>();

  /** Creates the set. If one word begins with another, `at` prefers the longer one. */
  constructor(words: readonly Word[], key: number) {
    this.#key = key;
    this.#keys = new CharacterSet(words.map((word) => word.charAt(key)).join(''));
    this.#longest = Math.max(...words.map((word) => word.length));
    for (const word of [...words].sort((a, b) => b.length - a.length)) {
      const alike = this.#byKey.get(word.charCodeAt(key));
      if (alike) alike.push(word);
      else this.#byKey.set(word.charCodeAt(key), [word]);
      const pair = pairAt(word, key);
      this.#byPair.set(pair, [...(this.#byPair.get(pair) ?? []), word]);
    }
  }

  at(text: string, position: number): Word | undefined {
    if (!this.#keys.has(text.charCodeAt(position + this.#key))) return undefined;
    const pair = pairAt(text, position + this.#key);
    return this.#byPair.get(pair)?.find((word) => text.startsWith(word, position));
  }

  /** Whether the text ends in the middle of a word of the set that begins at `position`. */
  isUnderWay(text: string, position: number): boolean {
    const length = text.length - position;
    if (length > this.#longest) return false;
    const longer = this.#alike(text, position)?.filter((word) => word.length > length) ?? [];
    return longer.length > 0 && longer.some((word) => word.startsWith(text.slice(position)));
  }

  #alike(text: string, position: number): readonly Word[] | undefined {
    const code = text.charCodeAt(position + this.#key);
    return this.#keys.has(code) ? this.#byKey.get(code) : undefined;
  }
}

/** Returns two adjacent characters as one number. */
const pairAt = (text: string, position: number): number =>
  text.charCodeAt(position) * 0x10000 + text.charCodeAt(position + 1);

/** Escapes a text for a regular expression. */
export const escaped = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Whether one of `characters` is at `position`; never at the end of the text. */
export function isOneOf(characters: string, text: string, position: number): boolean {
  return position < text.length && position >= 0 && characters.includes(text.charAt(position));
}

/** Skips spaces, tabs and line breaks. */
export function skipSpace(text: string, position: number): number {
  const near = position + SHORT_RUN;
  let at = position;
  while (at < near && isWhiteSpace(text.charCodeAt(at))) at += 1;
  return at < near ? at : runEnd(spaces, text, at);
}

/** Skips spaces and tabs of one line. */
export function skipBlanks(text: string, position: number): number {
  const near = position + SHORT_RUN;
  let at = position;
  while (at < near && isBlank(text.charCodeAt(at))) at += 1;
  return at < near ? at : runEnd(blanks, text, at);
}

/**
 * Maximum number of equal or similar characters that are skipped one by one. If more follow, a regular expression skips
 * them, which is ten times faster for many characters but slower for few.
 */
const SHORT_RUN = 32;

const spaces = /\s*/y;
const blanks = /[^\S\n\v\f\r\u2028\u2029]*/y;

/** Returns the end of the characters that a sticky pattern matches from `position` on. */
function runEnd(pattern: RegExp, text: string, position: number): number {
  pattern.lastIndex = position;
  pattern.test(text);
  return pattern.lastIndex;
}

/** Returns the end of a sticky pattern's match at `position`; null if it does not match there. */
export function matchEnd(pattern: RegExp, text: string, position: number): number | null {
  pattern.lastIndex = position;
  return pattern.test(text) ? pattern.lastIndex : null;
}

export function skipDigits(text: string, position: number, max: number): number {
  let at = position;
  while (at - position < max && isDigit(text.charCodeAt(at))) at += 1;
  return at;
}

/** Skips repetitions of one character. */
export function skipRun(text: string, position: number, repeated: string): number {
  let at = position;
  while (at < text.length && text.charAt(at) === repeated) at += 1;
  return at;
}

/**
 * Returns the end of the line at `position`: its `\n` or the end of the text.
 */
export function lineEnd(text: string, position: number): number {
  const end = text.indexOf('\n', position);
  return end < 0 ? text.length : end;
}

/**
 * Finds the ends of the lines of one text, for positions in ascending order. Caches the last end: a line of 1 MiB may
 * hold many positions, and a search from each would be quadratic (rule: linear-work).
 */
export class LineEnds {
  readonly #text: string;
  #known: readonly [from: number, end: number] = [0, -1];

  constructor(text: string) {
    this.#text = text;
  }

  /** Returns the end of the line at `position`, as `lineEnd` does. */
  after(position: number): number {
    const [from, end] = this.#known;
    if (position >= from && position <= end) return end;
    const next = lineEnd(this.#text, position);
    this.#known = [position, next];
    return next;
  }
}

/** Whether only spaces and tabs, or a carriage return after them, follow on the line. */
export function isRestBlank(text: string, position: number, end: number): boolean {
  const rest = skipBlanks(text, position);
  return rest >= end || text.charAt(rest) === '\r';
}

/** Skips a language such as `json` after the backticks or tildes of a code fence. */
export function skipLanguage(text: string, position: number): number {
  let at = position;
  while (/[\w+#.-]/.test(text.charAt(at))) at += 1;
  return at;
}

/** Shortens a text so that a message can quote it. */
export function shorten(text: string, length = 60): string {
  return text.length <= length ? text : `${text.slice(0, length)}…`;
}
