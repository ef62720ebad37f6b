/** Maximum number of lines in the history. */
export const MAX_LINES = 1_000;

export interface FoundLine {
  readonly text: string;
  /** Index of the line in the history. */
  readonly place: number;
  /** Index in the line at which the searched text begins. */
  readonly at: number;
}

interface Searched {
  readonly direction: 'older' | 'newer';
  /**
   * Index at which the search starts; the line at this index is not searched. By default, the search starts with the
   * newest line.
   */
  readonly from?: number | undefined;
}

/** Previously typed lines, for the arrow keys. */
export class LineHistory {
  /** Lines, oldest first. */
  readonly #lines: string[];
  #at: number;
  /** The unfinished line that was in the input when the person went back to an older one. */
  #draft = '';

  readonly #keep: ((line: string) => void) | undefined;

  /** `keep` is called with each new line. */
  constructor(lines: readonly string[] = [], keep?: (line: string) => void) {
    this.#lines = [...lines];
    this.#keep = keep;
    this.#at = this.#lines.length;
  }

  /** The newest line that is not a command. */
  get lastTask(): string | undefined {
    return this.#lines.findLast((line) => !/^[/!]/.test(line));
  }

  /** Adds a line, unless it is blank or equals the newest one. */
  add(line: string): void {
    const isNew = line.trim() !== '' && line !== this.#lines.at(-1);
    if (isNew) this.#lines.push(line);
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
    this.#at = this.#lines.length;
    if (isNew) this.#keep?.(line);
  }

  /** Returns the previous line; undefined if there is none. */
  up(current: string): string | undefined {
    if (this.#at === 0) return undefined;
    if (this.#at === this.#lines.length) this.#draft = current;
    this.#at -= 1;
    return this.#lines[this.#at];
  }

  /** Returns the next line, and finally the unfinished one. */
  down(_current: string): string | undefined {
    if (this.#at === this.#lines.length) return undefined;
    this.#at += 1;
    return this.#lines[this.#at] ?? this.#draft;
  }

  /** Returns the nearest line that contains the searched text. Ignores case unless this text has capitals. */
  find(wanted: string, { direction, from = this.#lines.length }: Searched): FoundLine | undefined {
    const fold = (text: string) => (wanted === wanted.toLowerCase() ? text.toLowerCase() : text);
    const step = direction === 'older' ? -1 : 1;
    const known = this.#lines[from];
    for (let place = from + step; wanted !== '' && place >= 0 && place < this.#lines.length; place += step) {
      const text = this.#lines[place] ?? '';
      const at = fold(text).indexOf(wanted);
      if (at >= 0 && text !== known) return { text, place, at };
    }
    return undefined;
  }

  /** Sets the index from which the arrow keys continue; `draft` is the unfinished line. */
  goTo(place: number, draft: string): void {
    this.#at = place;
    this.#draft = draft;
  }
}
