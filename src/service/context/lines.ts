/** Lines counted from 1, both ends included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** A final newline ends the last line and begins no new one; the empty text has no lines. */
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
 * The lines of one text, found once for all that is asked of them: a thousand ranges of one large file would
 * otherwise read it a thousand times (rule: linear-work).
 */
export class LineIndex {
  readonly #text: string;
  /** Where each line begins, and the end of the text. */
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

  /** The text of some of its lines, newlines and all; the first is number 1. */
  slice({ first, last }: LineRange): string {
    const end = this.#starts[Math.min(last, this.count)] ?? 0;
    return this.#text.slice(this.#starts[Math.min(first - 1, this.count)], end);
  }
}

/** The text of some of its lines, newlines and all; the text's own first line is number 1. */
export function sliceLines(text: string, { first, last }: LineRange): string {
  const start = offsetAfterLines(text, first - 1, 0);
  return text.slice(start, offsetAfterLines(text, last - first + 1, start));
}

/** Where the line after so many lines begins, counted from a line's beginning; the end of the text if there is none. */
export function offsetAfterLines(text: string, lines: number, from: number): number {
  let offset = from;
  for (let line = 0; line < lines; line += 1) {
    const newline = text.indexOf('\n', offset);
    if (newline === -1) return text.length;
    offset = newline + 1;
  }
  return offset;
}

/** Such as `1-40,90`; null for no lines at all. */
export function formatLines(ranges: readonly LineRange[]): string | null {
  if (ranges.length === 0) return null;
  return ranges.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)).join(',');
}
