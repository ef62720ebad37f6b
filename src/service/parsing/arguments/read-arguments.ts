import { closeIsMissing, closesAgain } from '../dialects/call-end.js';
import type { Sliced } from '../slices.js';
import { isBlank, isKeyCharacter, lineEnd, skipBlanks, skipSpace } from '../text/characters.js';
import { excerpt, isBareWord, readValue, readWordText } from '../text/literals.js';
import { matchMarker } from '../text/markers.js';
import { type JsonValue, type Repair, Scanner, type Spellings } from '../text/scanner.js';
import { closingQuote, readString, resolveEscapes, stringStart } from '../text/strings.js';
import { endsReply } from '../text/trailing.js';
import type { OfferedTool } from './offered-tool.js';

/** One argument as written: positional without a key. */
export interface Argument {
  readonly key: string | null;
  readonly value: JsonValue;
  /** How a number was spelled, since `1.10` given for a text parameter is "1.10". */
  readonly spelling?: string;
}

export type ArgumentsReading =
  | { ok: true; list: Argument[]; end: number; repairs: Repair[]; spellings: Spellings }
  | { ok: false; problem: string; cut: boolean };

/**
 * Reads `a, b=1, "c": 2)` from after the opening parenthesis. First to the letter; only if that fails
 * once more with repairs, so that nothing well-formed is ever mended (rule: repairs).
 */
export function* readArguments(
  text: string,
  start: number,
  tool: OfferedTool | undefined,
): Sliced<ArgumentsReading> {
  const exact = yield* new ArgumentReader(new Scanner(text, start), tool).read();
  if (exact.ok) return exact;
  const lenient = yield* new ArgumentReader(new Scanner(text, start, { lenient: true }), tool).read();
  return lenient.ok ? lenient : { ...exact, cut: exact.cut || lenient.cut };
}

/** Characters of a string whose end is guessed at: many such strings in one long line must not add up. */
const LONGEST_MENDED = 2 ** 17;

class ArgumentReader {
  readonly #scanner: Scanner;
  readonly #parameters: ReadonlySet<string> | null;
  #list: Argument[] = [];
  /** An exact reading that began before this place has failed here; it is not tried again before it. */
  #unreadableBefore = -1;
  #lastIsBare = false;

  constructor(scanner: Scanner, tool: OfferedTool | undefined) {
    this.#scanner = scanner;
    this.#parameters = tool && tool.parameters.length > 0 ? new Set(tool.parameters) : null;
  }

  *read(): Sliced<ArgumentsReading> {
    const scanner = this.#scanner;
    const end = yield* this.#readList();
    if (end === undefined) return { ok: false, problem: scanner.problem ?? 'unreadable', cut: scanner.cut };
    return { ok: true, list: this.#list, end, repairs: [...scanner.repairs], spellings: scanner.spellings };
  }

  /** Returns where the call ends, after `)`. */
  *#readList(): Sliced<number | undefined> {
    const scanner = this.#scanner;
    for (;;) {
      scanner.skipTrivia();
      if (scanner.take(')')) return scanner.position;
      if (this.#isAtMarker()) return scanner.fail('`)` is missing before the next label');
      if (!(yield* this.#readArgument())) return undefined;
      const valueEnd = scanner.position;
      scanner.skipTrivia();
      if (scanner.needsPause) yield scanner.pause();
      if (scanner.take(',')) continue;
      if (scanner.take(')')) return scanner.position;
      if (!this.#lastIsBare && closeIsMissing(scanner.text, valueEnd)) {
        scanner.repairs.add('missing_close');
        return valueEnd;
      }
      if (scanner.atEnd) return scanner.failAtEnd('`)` is missing at the end');
      return scanner.fail(`\`,\` or \`)\` is missing before \`${excerpt(scanner)}\``);
    }
  }

  /**
   * A label at the start of a line ends a call that is not closed, unless it is a parameter of the tool; where
   * none are known, one in lower case is taken for a parameter (rule: literals-first).
   */
  #isAtMarker(): boolean {
    const { text, position } = this.#scanner;
    let lineStart = position;
    while (isBlank(text.charCodeAt(lineStart - 1))) lineStart -= 1;
    if (text.charAt(lineStart - 1) !== '\n') return false;
    const marker = matchMarker(text, lineStart);
    if (!marker || marker === 'partial') return false;
    const word = text.slice(marker.start, marker.end).split(':', 1)[0]?.trim() ?? '';
    return this.#parameters ? !this.#parameters.has(word) : word !== word.toLowerCase();
  }

  *#readArgument(): Sliced<boolean> {
    const scanner = this.#scanner;
    const key = this.#readKey();
    if (key !== null) scanner.skipTrivia();
    const start = scanner.position;
    if (this.#isAtMarker()) {
      scanner.fail(`\`${key}\` has no value before the next label`);
      return false;
    }
    const value = yield* this.#readArgumentValue();
    if (value === undefined) return false;
    const spelling = scanner.text.slice(start, scanner.position);
    const isPlain = typeof value !== 'number' || spelling === String(value);
    this.#list.push(isPlain ? { key, value } : { key, value, spelling });
    return true;
  }

  /** `name=`, `name:`, `"name"=` or `"name":`; otherwise nothing is taken. */
  #readKey(): string | null {
    const scanner = this.#scanner;
    const start = scanner.position;
    const name = stringStart(scanner) ? this.#readQuotedName() : readWordText(scanner);
    const separator = skipBlanks(scanner.text, scanner.position);
    if (name !== undefined && scanner.position > start && this.#separates(separator, name)) {
      scanner.position = separator + 1;
      return name;
    }
    scanner.position = start;
    return null;
  }

  /** Apart from the scanner, which is not to fail on what is no key after all. */
  #readQuotedName(): string | undefined {
    const { text, position } = this.#scanner;
    const attempt = new Scanner(text, position, { within: this.#scanner });
    const name = readString(attempt);
    this.#scanner.position = attempt.position;
    return name;
  }

  /** `==` compares and `https://` is an address; neither separates a key from its value. */
  #separates(position: number, name: string): boolean {
    const { text } = this.#scanner;
    const next = text.charAt(position + 1);
    if (text.charAt(position) === '=') return next !== '=' && next !== '>';
    if (text.charAt(position) !== ':') return false;
    return !this.#parameters || this.#parameters.has(name) || (next !== '/' && next !== '\\');
  }

  *#readArgumentValue(): Sliced<JsonValue | undefined> {
    const scanner = this.#scanner;
    this.#lastIsBare = false;
    if (!scanner.lenient) return yield* readValue(scanner);
    const start = scanner.position;
    if (start >= this.#unreadableBefore) {
      const exact = yield* this.#tryExact(start);
      if (exact !== undefined || scanner.isFull) return exact;
    }
    return stringStart(scanner) ? this.#readQuotedLoosely() : this.#readBareWords();
  }

  /** A value that is well-formed and followed by what may follow a value. */
  *#tryExact(start: number): Sliced<JsonValue | undefined> {
    const scanner = this.#scanner;
    const attempt = new Scanner(scanner.text, start, { within: scanner });
    const value = yield* readValue(attempt);
    const end = attempt.position;
    attempt.skipTrivia();
    const next = attempt.current;
    const complete = next === ',' || next === ')' || closeIsMissing(scanner.text, end);
    if (value === undefined || !complete) {
      this.#unreadableBefore = attempt.position;
      if (attempt.cut) scanner.cut = true;
      return undefined;
    }
    for (const repair of attempt.repairs) scanner.repairs.add(repair);
    this.#lastIsBare = attempt.repairs.has('bare_word');
    scanner.position = end;
    return value;
  }

  /**
   * A string whose inner quotes are not escaped: it closes at the quote followed by `)` at the end of
   * the line, or by `, key=` (rule: repairs). It stays on one line; what could end in two places is refused.
   */
  #readQuotedLoosely(): JsonValue | undefined {
    const scanner = this.#scanner;
    const { text } = scanner;
    const opening = stringStart(scanner);
    if (opening?.prefix !== '') return scanner.fail('a string cannot be read');
    if (opening.close.length === 3) return this.#readTripleLoosely(opening);
    const inside = scanner.position + 1;
    const quotes = '"“”'.includes(text.charAt(scanner.position)) ? '"“”' : "'‘’`";
    const farthest = Math.min(text.length, inside + LONGEST_MENDED);
    let isFirst = true;
    for (let at = inside; at < farthest && text.charAt(at) !== '\n'; at += 1) {
      if (text.charAt(at) === '\\') at += 1;
      else if (quotes.includes(text.charAt(at)) && this.#closesString(at + 1)) {
        const smart = '“‘'.includes(text.charAt(inside - 1));
        scanner.repairs.add(smart ? 'smart_quotes' : 'inner_quotes');
        scanner.position = at + 1;
        return resolveEscapes(text.slice(inside, at), '"');
      } else if (quotes.includes(text.charAt(at)) && isFirst) {
        if (joinsExpression(text, at + 1))
          return scanner.fail('an expression is no literal; write its value');
        isFirst = false;
      }
    }
    return scanner.fail('a string is not closed, or holds quotes that are not escaped');
  }

  /** A string in three quotes that ends in a quote of its own: `"""say "hi""""` (rule: repairs). */
  #readTripleLoosely({ close, inside }: { close: string; inside: number }): JsonValue | undefined {
    const scanner = this.#scanner;
    const { text } = scanner;
    const first = closingQuote(text, inside, close);
    let end = first;
    while (end >= 0 && end < first + 2 && text.startsWith(close, end + 1)) end += 1;
    if (end === first || !this.#closesString(end + close.length))
      return scanner.fail('a string is not closed, or holds quotes that are not escaped');
    scanner.repairs.add('inner_quotes');
    scanner.position = end + close.length;
    return resolveEscapes(text.slice(inside, end), close);
  }

  #closesString(position: number): boolean {
    const { text } = this.#scanner;
    const at = skipBlanks(text, position);
    if (text.charAt(at) === ')') return endsReply(text, at + 1) && !closesAgain(text, lineEnd(text, at));
    return text.charAt(at) === ',' && this.#startsKey(skipSpace(text, at + 1));
  }

  #startsKey(position: number): boolean {
    const { text } = this.#scanner;
    const quoted = '"\''.includes(text.charAt(position) || ' ');
    const start = quoted ? position + 1 : position;
    let end = start;
    while (isKeyCharacter(text.charCodeAt(end))) end += 1;
    const name = text.slice(start, end);
    const separator = skipBlanks(text, quoted ? end + 1 : end);
    return name !== '' && (this.#parameters?.has(name) ?? true) && this.#separates(separator, name);
  }

  /** `query=where is the token`: text up to `)` or a comma, unless it looks like code or a placeholder. */
  #readBareWords(): JsonValue | undefined {
    const scanner = this.#scanner;
    const { text, position: start } = scanner;
    let depth = 0;
    let at = start;
    for (; at < text.length; at += 1) {
      const mark = text.charAt(at);
      if (mark === '\n' || mark === ',' || (mark === ')' && depth === 0)) break;
      if (forbidden(text, at, mark)) return scanner.fail(`\`${excerpt(scanner)}\` is no value; quote text`);
      if (mark === '(') depth += 1;
      if (mark === ')') depth -= 1;
    }
    const words = text.slice(start, at).trim();
    if (at >= text.length) return scanner.failAtEnd('`)` is missing at the end');
    if (depth > 0 || !isBareWord(words))
      return scanner.fail(`\`${excerpt(scanner)}\` is no value; quote text`);
    scanner.repairs.add('bare_word');
    this.#lastIsBare = true;
    scanner.position = start + words.length;
    return words;
  }
}

const operator = /[ \t]{0,8}(?:[+%]|\|\||&&|\?\?|(?:or|and|if)\b)[ \t]{0,8}["'`\w([{]/y;

/** After a string's first closing quote: `"a" + "b"` and `"a" if x else "b"` are no text with inner quotes. */
function joinsExpression(text: string, position: number): boolean {
  operator.lastIndex = position;
  return operator.test(text);
}

/** In bare words: quotes and brackets, `<placeholders>` and calls such as `len(x)`; an apostrophe is fine. */
function forbidden(text: string, at: number, mark: string): boolean {
  if (mark === '(') return at > 0 && isKeyCharacter(text.charCodeAt(at - 1));
  if (mark === "'" || mark === '’')
    return !(isKeyCharacter(text.charCodeAt(at - 1)) && isKeyCharacter(text.charCodeAt(at + 1)));
  return '"`“”‘{}[]<>'.includes(mark);
}
