import type { OfferedTools } from '../arguments/offered-tool.js';
import { readAction } from '../dialects/read-action.js';
import type { CallReading, WholeCall } from '../dialects/written-call.js';
import {
  endsInMark,
  mayBeginBlockLine,
  opensBlock,
  opensQuotedLine,
  readBlock,
  readOpenedBlock,
} from '../formats/read-block.js';
import { isCutCall, isWellFormed, mayBeginBareCall, readUnmarked } from '../formats/unmarked.js';
import { character, skipBlanks } from '../text/characters.js';
import { isForUser } from '../text/chat-tokens.js';
import type { CodeSpans } from '../text/code-spans.js';
import type { Line } from '../text/line-classifier.js';
import { skipDecoration } from '../text/markdown.js';

/**
 * Maximum number of failed or quoted calls. After that many, the rest of the reply is not searched for calls, which
 * keeps the time linear.
 */
const MAX_ATTEMPTS = 64;

/** Opening and closing quote marks that may be around a call in a sentence. */
const quotes = ['""', "''", '“”', '‘’', '„“', '„”', '””', '«»', '»«', '「」', '『』'];

/** Reads the calls that are found in a reply, except those that are only quoted. */
export class CallFinder {
  readonly #text: string;
  readonly #tools: OfferedTools;
  readonly #codeSpans: CodeSpans;
  #attempts = 0;
  #laterAttempts = 0;
  /** End of the last call between quote marks. No text before it is read as a call. */
  #quotedUntil = 0;

  constructor(text: string, tools: OfferedTools, codeSpans: CodeSpans) {
    this.#text = text;
    this.#tools = tools;
    this.#codeSpans = codeSpans;
  }

  /**
   * Reads the action after a label that ends at `at`. `lineStart` is the position from which the line of the label was
   * read.
   */
  readAction(at: number, lineStart: number): CallReading | null {
    if (this.#attempts >= MAX_ATTEMPTS || at < this.#quotedUntil) return null;
    const reading = readAction(this.#text, at, this.#tools);
    if (reading) return this.#isIntended(reading, at) ? reading : null;
    // One line may have many labels, and reading the action after each of them may go on to the end of the line. So
    // failed attempts are counted.
    if (this.#isInLine(lineStart)) this.#attempts += 1;
    return null;
  }

  /** Reads the block of native tool calls that begins at `at`. */
  readBlock(at: number, lineStart: number): CallReading | null {
    if (this.#attempts >= MAX_ATTEMPTS || at < this.#quotedUntil) return null;
    const startsLine = skipBlanks(this.#text, lineStart) >= at;
    const reading = readBlock(this.#text, at, this.#tools, { startsLine });
    if (!reading) {
      this.#attempts += 1;
      return null;
    }
    if (this.#skipsWrapped(reading, at) || (startsLine && this.#skipsQuotedMark(reading, lineStart)))
      return null;
    return this.#isIntended(reading, at + 1) ? reading : null;
  }

  /**
   * Whether a call is only displayed, so that it is skipped: backticks directly enclose it, or quote marks enclose it
   * and the reply has other text.
   */
  #skipsWrapped(reading: CallReading, at: number): boolean {
    if (reading.kind !== 'call') return false;
    const end = endOf(reading);
    const [before, after] = [this.#text.charAt(at - 1), this.#text.charAt(end)];
    if (before === '`') return after === '`';
    const around = this.#text.slice(Math.max(0, at - 2), at) + this.#text.slice(end, end + 2);
    const isSpaced = /^«\s\s»$/.test(around); // French puts a space inside its quote marks.
    const isQuoted = isSpaced || quotes.includes(before + after);
    const isInSentence = isQuoted && this.#text.trim().length > end - at + (isSpaced ? 4 : 2);
    if (!isInSentence) return false;
    this.#quotedUntil = end;
    this.#attempts += 1;
    return true;
  }

  /**
   * Skips a call whose opening mark ends the line before, where it is only quoted: in a list item, a block quote or
   * inline code. Elsewhere, the call would have been read from that mark on.
   */
  #skipsQuotedMark(reading: CallReading, lineStart: number): boolean {
    if (reading.kind !== 'call' || this.#isInLine(lineStart)) return false;
    const before = this.#text.lastIndexOf('\n', lineStart - 2) + 1;
    const line = this.#text.slice(before, lineStart).replace(/[\s`:.]{0,20}$/, '');
    if (!endsInMark(line, line.length)) return false;
    this.#quotedUntil = endOf(reading);
    this.#attempts += 1;
    return true;
  }

  /**
   * Reads a block whose opening mark is recognised only at the start of a line. One such mark is `>>>`, which would
   * otherwise be a block quote. It is not indented, since an indented one may belong to a list item.
   */
  readLine(line: Line, lineStart: number): { at: number; reading: CallReading } | null {
    const at = skipBlanks(this.#text, lineStart);
    const isMark = at === lineStart && opensQuotedLine(this.#text, at);
    const isText = line.kind === 'prose' || line.kind === 'value' || isMark;
    if (!isText || opensBlock(this.#text, at) || mayBeginBlockLine(this.#text, at, this.#tools) === false)
      return null;
    const reading = this.readBlock(at, lineStart);
    return reading && { at, reading };
  }

  /** Reads a block at the start of a reply whose first opening mark is missing (rule: native-formats). */
  readOpened(lineStart: number): CallReading | null {
    const at = skipBlanks(this.#text, lineStart);
    if (this.#attempts >= MAX_ATTEMPTS || mayBeginBareCall(this.#text, at, this.#tools) !== true) return null;
    this.#attempts += 1;
    return readOpenedBlock(this.#text, at, this.#tools);
  }

  /**
   * Returns the end of the calls without a label or tags at the start of a line, so that text inside their strings is
   * not read as a label or call. If the last call is cut off or broken, returns the text's end; if there are no such
   * calls, null.
   */
  unmarkedEnd(lineStart: number): number | null {
    const at = skipBlanks(this.#text, lineStart);
    if (this.#attempts >= MAX_ATTEMPTS || mayBeginBareCall(this.#text, at, this.#tools) !== true) return null;
    this.#attempts += 1;
    const { calls, broken } = readUnmarked(this.#text, at, this.#tools);
    if (broken) return this.#text.length;
    const last = calls.every(({ name }) => this.#tools.find(name)) ? calls.at(-1) : undefined;
    return last ? endOf(last) : null;
  }

  /**
   * Returns the end of the calls without a label or tags at the start of a line with other text before it; `'cut'` if
   * the text ends within them, and null if there are none.
   */
  laterEnd(lineStart: number): number | 'cut' | null {
    const at = skipDecoration(this.#text, lineStart);
    if (this.#laterAttempts >= MAX_ATTEMPTS || mayBeginBareCall(this.#text, at, this.#tools) !== true)
      return null;
    this.#laterAttempts += 1;
    if (isCutCall(this.#text, at, this.#tools)) return 'cut';
    const last = readUnmarked(this.#text, at, this.#tools).calls.at(-1);
    return last && isWellFormed(last, this.#tools) ? endOf(last) : null;
  }

  /** Whether `lineStart` is inside a line, because reasoning or chat tokens precede it on its line. */
  #isInLine(lineStart: number): boolean {
    return lineStart > 0 && this.#text.charCodeAt(lineStart - 1) !== character.newline;
  }

  /** Whether a call is intended: it is neither in inline code that closes after it nor in a message to the user. */
  #isIntended(reading: CallReading, fallbackEnd: number): boolean {
    const isMentioned = reading.dialect === 'invoke' && isForUser(this.#text, fallbackEnd);
    if (!isMentioned && !this.#codeSpans.closesAfter(reading.kind === 'call' ? endOf(reading) : fallbackEnd))
      return true;
    this.#attempts += 1;
    return false;
  }
}

/** Returns the end of a call, or of the block that holds it. */
const endOf = ({ blockEnd, end }: WholeCall): number => blockEnd ?? end;
