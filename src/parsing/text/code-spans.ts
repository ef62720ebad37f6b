import { skipBlanks, skipRun } from './characters.js';
import { bulletEnd, isFenceAt } from './markdown.js';

/**
 * Tracks inline code within one paragraph. Backticks open it only if the same number of them follows in the paragraph,
 * as in CommonMark 0.31 §6.1.
 */
export class CodeSpans {
  readonly #text: string;
  /** Start of the last run of n backticks in the current paragraph, by n. */
  #lastRuns = new Map<number, number>();
  #paragraphEnd = -1;
  /** Number of backticks that opened the current span; 0 outside a span. */
  #open = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Ends the paragraph; called at blank and quoted lines. */
  endParagraph(): void {
    this.#open = 0;
  }

  get isOpen(): boolean {
    return this.#open > 0;
  }

  /** Reads the backticks at `position`, opens or closes a code span accordingly, and returns their end. */
  enterRun(position: number): number {
    const end = skipRun(this.#text, position, '`');
    const length = end - position;
    if (position >= this.#paragraphEnd) this.#surveyParagraph(position);
    if (this.#open === length) this.#open = 0;
    else if (this.#open === 0 && (this.#lastRuns.get(length) ?? -1) > position) this.#open = length;
    return end;
  }

  /** Whether text that ends at `end` is in inline code: a code span is open now and closes after `end`. */
  closesAfter(end: number): boolean {
    if (this.#open === 0) return false;
    if (end >= this.#paragraphEnd) this.#surveyParagraph(end);
    return (this.#lastRuns.get(this.#open) ?? -1) >= end;
  }

  #surveyParagraph(position: number): void {
    this.#paragraphEnd = paragraphEnd(this.#text, position);
    this.#lastRuns = new Map();
    let length = 0;
    let last = position;
    for (let at = this.#text.indexOf('`', position); at >= 0 && at < this.#paragraphEnd; ) {
      const end = skipRun(this.#text, at, '`');
      if (end - at !== length) this.#lastRuns.set(length, last); // Mostly there are as many backticks as before.
      length = end - at;
      last = at;
      at = this.#text.indexOf('`', end);
    }
    this.#lastRuns.set(length, last);
  }
}

/**
 * Collects the backticks of a paragraph that is still arriving. Only the end of the paragraph shows whether the last of
 * them opens inline code.
 */
export class ArrivingCode {
  #lengths: number[] = [];
  #endsInRun = false;

  endParagraph(): void {
    this.#lengths = [];
    this.#endsInRun = false;
  }

  /** Adds the next part of the paragraph. It may end inside a run of backticks. */
  enter(text: string): void {
    for (let at = text.indexOf('`'); at >= 0; ) {
      const end = skipRun(text, at, '`');
      const goesOn = at === 0 && this.#endsInRun ? (this.#lengths.pop() ?? 0) : 0;
      this.#lengths.push(goesOn + end - at);
      at = text.indexOf('`', end);
    }
    if (text !== '') this.#endsInRun = text.endsWith('`');
  }

  /**
   * Returns whether the backticks so far include an unpaired opening, so that the text after it may turn out to be
   * inline code. If all are paired, forgets them, because they cannot matter any more.
   */
  mayBeOpen(): boolean {
    for (let at = 0; at < this.#lengths.length; ) {
      const close = this.#lengths.indexOf(this.#lengths[at] ?? 0, at + 1);
      if (close < 0) return true;
      at = close + 1;
    }
    this.endParagraph();
    return false;
  }
}

/**
 * Returns the start of the next line that is blank or starts a quotation, table row, list item or fence; else
 * the end of the text.
 */
function paragraphEnd(text: string, position: number): number {
  for (let line = text.indexOf('\n', position); line >= 0; line = text.indexOf('\n', line + 1)) {
    const first = skipBlanks(text, line + 1);
    if (first >= text.length || '\r\n>|'.includes(text.charAt(first))) return line;
    if (bulletEnd(text, first) > first || isFenceAt(text, first)) return line;
  }
  return text.length;
}
