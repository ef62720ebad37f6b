import { type Line, lineOf } from './line.js';

/**
 * Maximum number of rows of a paste that is shown in the line. A longer paste gets a placeholder such as `[paste 1: 20
 * lines]`.
 */
const MAX_ROWS = 6;
const MAX_PASTE_CHARS = 600;

/**
 * Maximum length of a line from the history. A longer line also gets a placeholder: it was pasted, and redrawing it for
 * each key is slow.
 */
const MAX_LINE_CHARS = 4_000;

/** Long pastes of a line. While the line is edited, a placeholder represents each of them. */
export class LongPastes {
  readonly #texts = new Map<string, string>();
  #count = 0;

  /** Returns the text to insert for a paste: its own text, or a placeholder if the paste is long. */
  markFor(text: string): string {
    const rows = text.split('\n').length;
    return rows <= MAX_ROWS && text.length <= MAX_PASTE_CHARS ? text : this.#mark(text, rows);
  }

  /** Returns the line, or a placeholder if the line is very long. */
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

  /** If the text ends with a placeholder, returns the placeholder. Deleting backwards removes it as a whole. */
  markAtEnd(text: string): string | undefined {
    return [...this.#texts.keys()].find((mark) => text.endsWith(mark));
  }

  /** Replaces each placeholder by its paste. A placeholder that the person edited remains as it is. */
  expand(line: string): string {
    return line.replace(/\[paste \d+: \d+ (?:lines|characters)\]/g, (mark) => this.#texts.get(mark) ?? mark);
  }
}
