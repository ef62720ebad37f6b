import { type Line, lineOf } from './line.js';

/** What is longer than this is shown by a mark in the line. */
const MAX_ROWS = 6;
const MAX_CHARACTERS = 600;

/** In characters: no line that a person writes by hand is longer, and to draw it at each key takes long. */
const MAX_LINE = 4_000;

/** Long pastes of a line: a mark stands for each while the line is edited. */
export class LongPastes {
  readonly #texts = new Map<string, string>();
  #count = 0;

  /** What to put into the line for a paste. */
  markFor(text: string): string {
    const rows = text.split('\n').length;
    return rows <= MAX_ROWS && text.length <= MAX_CHARACTERS ? text : this.#mark(text, rows);
  }

  /** The line itself, or where that is very long a mark: it was pasted once, and is brought back now. */
  shorten(line: Line): Line {
    if (line.text.length <= MAX_LINE) return line;
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

  /** The mark that a text ends with: it is taken out as a whole. */
  markAtEnd(text: string): string | undefined {
    return [...this.#texts.keys()].find((mark) => text.endsWith(mark));
  }

  /** The line with every paste in place of its mark; one that was changed by hand is a text like any other. */
  expand(line: string): string {
    return line.replace(/\[paste \d+: \d+ (?:lines|characters)\]/g, (mark) => this.#texts.get(mark) ?? mark);
  }
}
