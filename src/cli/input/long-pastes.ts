import { type Line, lineOf } from './line.js';

/** Longer pastes are represented by a mark in the line. */
const MAX_ROWS = 6;
const MAX_PASTE_CHARS = 600;

/**
 * Longer lines from the history are also replaced by a mark: they were pasted, and redrawing them for each key is
 * slow.
 */
const MAX_LINE_CHARS = 4_000;

/** Long pastes of a line, each represented by a mark while the line is edited. */
export class LongPastes {
  readonly #texts = new Map<string, string>();
  #count = 0;

  /** Returns the text to insert for a paste. */
  markFor(text: string): string {
    const rows = text.split('\n').length;
    return rows <= MAX_ROWS && text.length <= MAX_PASTE_CHARS ? text : this.#mark(text, rows);
  }

  /** Returns the line, or a mark if it is very long. */
  shorten(line: Line): Line {
    if (line.text.length <= MAX_LINE_CHARS) return line;
    const whole = this.expand(line.text);
    const [known] = [...this.#texts].find(([, text]) => text === whole) ?? [];
    return lineOf(known ?? this.#mark(whole, whole.split('\n').length));
  }

  #mark(text: string, rows: number): string {
    this.#count += 1;
    const size = rows > 1 ? `${rows} lines` : `${text.length} characters`;
    const mark = `[paste ${this.#count}: ${size}]`;
    this.#texts.set(mark, text);
    return mark;
  }

  /** Returns the mark at the end of a text, which is deleted as a whole. */
  markAtEnd(text: string): string | undefined {
    return [...this.#texts.keys()].find((mark) => text.endsWith(mark));
  }

  /** Replaces each mark by its paste; a mark that was edited remains text. */
  expand(line: string): string {
    return line.replace(/\[paste \d+: \d+ (?:lines|characters)\]/g, (mark) => this.#texts.get(mark) ?? mark);
  }
}
