import { isBlank, skipBlanks } from '../text/characters.js';
import { excerpt, readValue, readWordText, spellingOf } from '../text/literals.js';
import { matchMarker } from '../text/markers.js';
import { type JsonValue, type Repair, Scanner, type Spellings } from '../text/scanner.js';
import { readString, stringStart } from '../text/strings.js';
import { ArgumentKeys } from './argument-keys.js';
import { closeIsMissing } from './call-end.js';
import type { OfferedTool } from './offered-tool.js';
import { readBareWords, readQuotedLoosely } from './repaired-values.js';

/** One argument as written; `key` is absent for a positional one. */
export interface Argument {
  readonly key: string | null;
  readonly value: JsonValue;
  /** The number's spelling, since `1.10` for a text parameter means "1.10", and `05` for an integer means 5. */
  readonly spelling?: string;
}

export type ArgumentsReading =
  | { ok: true; list: Argument[]; end: number; repairs: Repair[]; spellings: Spellings }
  | { ok: false; problem: string; cut: boolean; isCopied: boolean };

/**
 * Reads `a, b=1, "c": 2)` after the opening parenthesis: first strictly; with repairs only if that fails, so
 * that well-formed calls are never changed (rule: repairs).
 */
export function readArguments(text: string, start: number, tool: OfferedTool | undefined): ArgumentsReading {
  const exact = new ArgumentReader(new Scanner(text, start), tool).read();
  if (exact.ok) return exact;
  const lenient = new ArgumentReader(new Scanner(text, start, { lenient: true }), tool).read();
  if (lenient.ok) return lenient;
  // If the model copied a name from the tool's signature, the strict reading's advice to quote the name would not help.
  const problem = lenient.isCopied ? lenient.problem : exact.problem;
  return { ...exact, problem, cut: exact.cut || lenient.cut };
}

class ArgumentReader {
  readonly #scanner: Scanner;
  readonly #keys: ArgumentKeys;
  #list: Argument[] = [];
  /** End of the last text that could not be read strictly. Values that begin before it are not tried again. */
  #unreadableBefore = -1;
  #lastIsBare = false;
  /** True if the model copied a parameter's name or type from the signature instead of writing a value. */
  #isCopied = false;

  constructor(scanner: Scanner, tool: OfferedTool | undefined) {
    this.#scanner = scanner;
    this.#keys = new ArgumentKeys(tool);
  }

  read(): ArgumentsReading {
    const scanner = this.#scanner;
    const end = this.#readList();
    if (end === undefined) {
      const problem = scanner.problem ?? 'unreadable';
      return { ok: false, problem, cut: scanner.cut, isCopied: this.#isCopied };
    }
    return { ok: true, list: this.#list, end, repairs: [...scanner.repairs], spellings: scanner.spellings };
  }

  /** Returns the end of the call, after `)`. */
  #readList(): number | undefined {
    const scanner = this.#scanner;
    for (;;) {
      scanner.skipTrivia();
      if (scanner.take(')')) return scanner.position;
      if (this.#isAtMarker()) return scanner.fail('`)` is missing before the next label');
      if (!this.#readArgument()) return undefined;
      const valueEnd = scanner.position;
      scanner.skipTrivia();
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
   * Returns whether a label at the start of a line ends an unclosed call. A label that is a parameter's name does not
   * end it. If the parameters are unknown, a lower-case label does not end it either (rule: literals-first).
   */
  #isAtMarker(): boolean {
    const { text, position } = this.#scanner;
    let lineStart = position;
    while (isBlank(text.charCodeAt(lineStart - 1))) lineStart -= 1;
    if (text.charAt(lineStart - 1) !== '\n') return false;
    const marker = matchMarker(text, lineStart);
    if (!marker || marker === 'partial') return false;
    const word = text.slice(marker.start, marker.end).split(':', 1)[0]?.trim() ?? '';
    return !this.#keys.mayBeLabel(word);
  }

  #readArgument(): boolean {
    const scanner = this.#scanner;
    const key = this.#readKey();
    const separator = scanner.text.charAt(scanner.position - 1);
    if (key !== null) scanner.skipTrivia();
    const start = scanner.position;
    if (this.#isAtMarker()) {
      scanner.fail(`\`${key}\` has no value before the next label`);
      return false;
    }
    const value = this.#readArgumentValue();
    if (value === undefined) return false;
    const copied =
      this.#lastIsBare && typeof value === 'string' ? this.#keys.copiedPart(key, separator, value) : null;
    if (copied) {
      this.#isCopied = true;
      if (scanner.atEnd) scanner.cut = true;
      scanner.fail(`\`${value}\` is the name of a ${copied}, not ${copied === 'type' ? 'a' : 'its'} value`);
      return false;
    }
    if (this.#lastIsBare && typeof value === 'string' && this.#keys.areIn(value)) {
      this.#isCopied = true;
      scanner.fail(`\`${value}\` has a colon, comma or \`=\` of full width; write ASCII, and quote text`);
      return false;
    }
    const spelling = spellingOf(value, scanner, start);
    this.#list.push(spelling === undefined ? { key, value } : { key, value, spelling });
    return true;
  }

  /**
   * Reads `name=`, `name:`, `"name"=` or `"name":`. If there is no key, returns null and leaves the position unchanged.
   */
  #readKey(): string | null {
    const scanner = this.#scanner;
    const start = scanner.position;
    const name = stringStart(scanner) ? this.#readQuotedName() : readWordText(scanner);
    const separator = skipBlanks(scanner.text, scanner.position);
    if (name !== undefined && scanner.position > start && this.#keys.endsAt(scanner.text, separator, name)) {
      scanner.position = separator + 1;
      return name;
    }
    scanner.position = start;
    return null;
  }

  /** Reads a key in quotes with a separate scanner, so that a failure is not recorded if the text is not a key. */
  #readQuotedName(): string | undefined {
    const { text, position } = this.#scanner;
    const attempt = new Scanner(text, position, { within: this.#scanner });
    const name = readString(attempt);
    this.#scanner.position = attempt.position;
    return name;
  }

  #readArgumentValue(): JsonValue | undefined {
    const scanner = this.#scanner;
    this.#lastIsBare = false;
    if (!scanner.lenient) return readValue(scanner);
    const start = scanner.position;
    if (start >= this.#unreadableBefore) {
      const exact = this.#tryExact(start);
      if (exact !== undefined || scanner.isFull) return exact;
    }
    if (stringStart(scanner)) return readQuotedLoosely(scanner, this.#keys);
    const words = readBareWords(scanner);
    this.#lastIsBare = words !== undefined;
    return words;
  }

  /** Reads a well-formed value that is followed by a valid separator. */
  #tryExact(start: number): JsonValue | undefined {
    const scanner = this.#scanner;
    const attempt = new Scanner(scanner.text, start, { within: scanner });
    const value = readValue(attempt);
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
}
