import { type LineRange, subtractLines } from '../lines.js';

/** What is in the prompt already, by origin and lines (rule: no-line-twice). */
export class Coverage {
  readonly #shown = new Map<string, Shown>();

  copy(): Coverage {
    const copy = new Coverage();
    for (const [origin, shown] of this.#shown) copy.#shown.set(origin, shown);
    return copy;
  }

  add(origin: string, lines: readonly LineRange[], text: string): void {
    const { lines: before, texts } = this.#of(origin);
    this.#shown.set(origin, { lines: [...before, ...lines], texts: [...texts, text] });
  }

  has(origin: string): boolean {
    return this.#shown.has(origin);
  }

  /** What of a range is not there yet. */
  missing(origin: string, range: LineRange): LineRange[] {
    return subtractLines(range, this.#of(origin).lines);
  }

  /** For text without line numbers. */
  contains(origin: string, text: string): boolean {
    const lines = text.replace(/^\n+|\n+$/g, '');
    return this.#of(origin).texts.some((shown) => shown.includes(lines));
  }

  #of(origin: string): Shown {
    return this.#shown.get(origin) ?? { lines: [], texts: [] };
  }
}

interface Shown {
  readonly lines: readonly LineRange[];
  readonly texts: readonly string[];
}
