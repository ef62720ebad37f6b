import type { KeyPress } from './decode-keys.js';
import { deletions, type Line, lineOf } from './line.js';
import type { FoundLine, LineHistory } from './line-history.js';

/**
 * The effect of a key: the search continues, the match is accepted, the search is cancelled, or the key ends the
 * search and the line handles it.
 */
type SearchOutcome = 'continues' | 'accepted' | 'cancelled' | 'unhandled';

/** A reverse search in the input history, like Ctrl-R in readline. */
export class HistorySearch {
  readonly #history: LineHistory;
  readonly #draft: Line;
  #wanted = '';
  #found: FoundLine | undefined;
  #isMissing = false;

  constructor(history: LineHistory, draft: Line) {
    this.#history = history;
    this.#draft = draft;
  }

  /** The match with the cursor at the searched text; the original line while nothing matches. */
  get line(): Line {
    return this.#found ? { text: this.#found.text, cursor: this.#found.at } : this.#draft;
  }

  /** Row below the line: the search text, and the keys of the search. */
  get hint(): string {
    const state = this.#isMissing ? 'not found: ' : 'search: ';
    return `${state}${this.#wanted}▏ Ctrl-R older · Enter accepts · Esc cancels`;
  }

  onKey({ name, text }: KeyPress): SearchOutcome {
    if (name === 'unknown') return 'continues';
    if (text !== '') this.#searchFor(this.#wanted + text.replace(/\n/g, ' '), this.#found);
    else if (name === 'backspace' || name === 'ctrl-h') this.#searchFor(withoutLast(this.#wanted));
    else if (name === 'ctrl-r') this.#step('older');
    else if (name === 'ctrl-s') this.#step('newer');
    else return this.#end(name);
    return 'continues';
  }

  #searchFor(wanted: string, from?: FoundLine): void {
    this.#wanted = wanted;
    this.#keep(this.#history.find(wanted, { direction: 'older', from: from && from.place + 1 }));
  }

  #step(direction: 'older' | 'newer'): void {
    this.#keep(this.#history.find(this.#wanted, { direction, from: this.#found?.place }));
  }

  /** Keeps the previous match if the new search finds nothing. */
  #keep(found: FoundLine | undefined): void {
    this.#found = found ?? this.#found;
    this.#isMissing = found === undefined && this.#wanted !== '';
  }

  #end(name: string): SearchOutcome {
    if (['escape', 'ctrl-g', 'ctrl-c'].includes(name)) {
      this.#found = undefined;
      return 'cancelled';
    }
    if (this.#found) this.#history.goTo(this.#found.place, this.#draft.text);
    if (name !== 'enter' && name !== 'tab') return 'unhandled';
    this.#found &&= { ...this.#found, at: this.#found.text.length };
    return 'accepted';
  }
}

const withoutLast = (text: string): string => text.slice(0, deletions['backspace']?.(lineOf(text)) ?? 0);
