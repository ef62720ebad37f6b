/** In lines: what a person still remembers having typed. */
export const MAX_LINES = 1_000;

/** A line of the history. */
export interface FoundLine {
  readonly text: string;
  /** Where in the history it is. */
  readonly place: number;
  /** Where in the line what was searched begins. */
  readonly at: number;
}

interface Searched {
  readonly direction: 'older' | 'newer';
  /** The place from which to search, itself left out; without it the newest is the first. */
  readonly from?: number | undefined;
}

/** What was typed before, for the arrow keys. */
export class LineHistory {
  /** Oldest first. */
  readonly #lines: string[];
  #at: number;
  /** What stood there before the person went back. */
  #draft = '';

  readonly #keep: ((line: string) => void) | undefined;

  /** `keep` is told each new line. */
  constructor(lines: readonly string[] = [], keep?: (line: string) => void) {
    this.#lines = [...lines];
    this.#keep = keep;
    this.#at = this.#lines.length;
  }

  /** The newest that was no command. */
  get lastTask(): string | undefined {
    return this.#lines.findLast((line) => !/^[/!]/.test(line));
  }

  /** Keeps a line; the same one twice in a row counts once. */
  add(line: string): void {
    const isNew = line.trim() !== '' && line !== this.#lines.at(-1);
    if (isNew) this.#lines.push(line);
    if (this.#lines.length > MAX_LINES) this.#lines.shift();
    this.#at = this.#lines.length;
    if (isNew) this.#keep?.(line);
  }

  /** The line before; undefined where there is none. */
  up(current: string): string | undefined {
    if (this.#at === 0) return undefined;
    if (this.#at === this.#lines.length) this.#draft = current;
    this.#at -= 1;
    return this.#lines[this.#at];
  }

  /** The line after, at last the one that was being typed. */
  down(_current: string): string | undefined {
    if (this.#at === this.#lines.length) return undefined;
    this.#at += 1;
    return this.#lines[this.#at] ?? this.#draft;
  }

  /** The nearest line with this text in it; capitals count only where it has some. */
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

  /** The arrow keys go on from this place; `draft` is what was being typed. */
  goTo(place: number, draft: string): void {
    this.#at = place;
    this.#draft = draft;
  }
}
