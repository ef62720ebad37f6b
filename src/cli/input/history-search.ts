import type { KeyPress } from './decode-keys.js';
import { deletions, type Line, lineOf } from './line.js';
import type { FoundLine, LineHistory } from './line-history.js';

/**
 * What became of a key: the search goes on, what was found is taken, the line is as it was before, or the key is one of
 * the line's own and is meant for what was found.
 */
type SearchOutcome = 'goes on' | 'taken' | 'left' | 'passed on';

/** A search backwards through what was typed before, as readline's Ctrl-R. */
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

  /** What was found, the cursor where it has what is searched; the line as it was while nothing is found. */
  get line(): Line {
    return this.#found ? { text: this.#found.text, cursor: this.#found.at } : this.#draft;
  }

  /** In one row: what is searched, and how to go on. */
  get hint(): string {
    const state = this.#isMissing ? 'not found: ' : 'search: ';
    return `${state}${this.#wanted}▏ Ctrl-R older · Enter takes it · Esc leaves`;
  }

  onKey({ name, text }: KeyPress): SearchOutcome {
    if (name === 'unknown') return 'goes on';
    if (text !== '') this.#searchFor(this.#wanted + text.replace(/\n/g, ' '), this.#found);
    else if (name === 'backspace' || name === 'ctrl-h') this.#searchFor(withoutLast(this.#wanted));
    else if (name === 'ctrl-r') this.#step('older');
    else if (name === 'ctrl-s') this.#step('newer');
    else return this.#end(name);
    return 'goes on';
  }

  #searchFor(wanted: string, from?: FoundLine): void {
    this.#wanted = wanted;
    this.#keep(this.#history.find(wanted, { direction: 'older', from: from && from.place + 1 }));
  }

  #step(direction: 'older' | 'newer'): void {
    this.#keep(this.#history.find(this.#wanted, { direction, from: this.#found?.place }));
  }

  /** What was found before stays while nothing else is. */
  #keep(found: FoundLine | undefined): void {
    this.#found = found ?? this.#found;
    this.#isMissing = found === undefined && this.#wanted !== '';
  }

  #end(name: string): SearchOutcome {
    if (['escape', 'ctrl-g', 'ctrl-c'].includes(name)) {
      this.#found = undefined;
      return 'left';
    }
    if (this.#found) this.#history.goTo(this.#found.place, this.#draft.text);
    if (name !== 'enter' && name !== 'tab') return 'passed on';
    this.#found &&= { ...this.#found, at: this.#found.text.length };
    return 'taken';
  }
}

const withoutLast = (text: string): string => text.slice(0, deletions['backspace']?.(lineOf(text)) ?? 0);
