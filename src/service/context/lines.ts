/** A range of lines, counted from 1, with both ends included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** Counts lines as editors do: a final newline ends the last line and does not begin a new one. */
export function countLines(text: string): number {
  const newlines = countNewlines(text);
  return text === '' || text.endsWith('\n') ? newlines : newlines + 1;
}

export function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/**
 * Line offsets of a text. They are computed once, so that a thousand ranges of one file do not scan it a thousand
 * times.
 */
export class LineIndex {
  readonly #text: string;
  /** Offset of each line, then the length of the text. */
  readonly #starts: Uint32Array;

  constructor(text: string) {
    const count = countLines(text);
    this.#text = text;
    this.#starts = new Uint32Array(count + 1);
    for (let line = 1, at = 0; line < count; line += 1) {
      at = text.indexOf('\n', at) + 1;
      this.#starts[line] = at;
    }
    this.#starts[count] = text.length;
  }

  get count(): number {
    return this.#starts.length - 1;
  }

  /** Returns a range of lines with their newlines. The first line of the text has the number 1. */
  slice({ first, last }: LineRange): string {
    return this.#text.slice(this.startOf(first), this.startOf(last + 1));
  }

  /** Returns the offset of a line, or the length of the text if the line does not exist. */
  startOf(line: number): number {
    return this.#starts[Math.min(line - 1, this.count)] ?? 0;
  }
}

/** Formats ranges like `1-40,90`. Returns null for an empty list. */
export function formatLines(ranges: readonly LineRange[]): string | null {
  if (ranges.length === 0) return null;
  return ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}
