import type { KeyPress } from './decode-keys.js';
import { HistorySearch } from './history-search.js';
import type { KeyListener } from './keyboard.js';
import { cutTo, deletions, emptyLine, insert, type Line, lineOf, movements, moveRow } from './line.js';
import type { LineHistory } from './line-history.js';
import type { LineView } from './line-view.js';
import { LongPastes } from './long-pastes.js';

/** The result of a line question: the text, a key that cancelled it, or the end of input. */
export type TypedLine =
  | {
      readonly type: 'line';
      readonly text: string;
      /** The text with a placeholder for each long paste. */
      readonly shown: string;
    }
  | { readonly type: 'cancelled'; readonly key: 'escape' | 'ctrl-c'; readonly wasEmpty: boolean }
  | { readonly type: 'ended' };

export interface LineEditorParts {
  readonly view: LineView;
  /** Called when a line ends. At that time the editor's line is already empty. */
  readonly onTyped: (typed: TypedLine) => void;
  readonly history?: LineHistory | undefined;
  /** Receives each key before the editor does. Returns true if it has handled the key. */
  readonly onKey?: ((key: KeyPress, isAlone: boolean) => boolean) | undefined;
}

/** Turns keys into lines. A line can have several rows: Ctrl-J, Alt-Enter, or `\` before Enter. */
export class LineEditor implements KeyListener {
  readonly #parts: LineEditorParts;
  #line: Line = emptyLine;
  readonly #pastes = new LongPastes();
  #killed = '';
  #search: HistorySearch | undefined;
  #below: readonly string[] = [];
  #isCovered = false;
  #willDraw = false;

  constructor(parts: LineEditorParts) {
    this.#parts = parts;
    this.#drawSoon();
  }

  get line(): Line {
    return this.#line;
  }

  /** The line with long pastes expanded. */
  get wholeText(): string {
    return this.#pastes.expand(this.#line.text);
  }

  /** Replaces the line as if it had been typed. */
  set line(line: Line) {
    this.#line = this.#pastes.shorten(line);
    this.#search = undefined;
    this.#drawSoon();
  }

  /** Shows rows below the line until the next key. */
  showBelow(below: readonly string[]): void {
    this.#below = below;
    this.#drawSoon();
  }

  hasDraft(): boolean {
    return this.#line.text !== '' || this.#search !== undefined;
  }

  onKey(key: KeyPress, isAlone = true): void {
    this.#below = [];
    if (!this.#searches(key) && !this.#parts.onKey?.(key, isAlone)) this.#take(key);
    this.#drawSoon();
  }

  /** Passes a key to the history search. Returns true if the search has handled it. */
  #searches(key: KeyPress): boolean {
    const { history } = this.#parts;
    const begun = key.name === 'ctrl-r' && history ? new HistorySearch(history, this.#line) : undefined;
    const search = this.#search ?? begun;
    if (!search) return false;
    const outcome = search.onKey(key);
    this.#line = this.#pastes.shorten(search.line);
    this.#search = outcome === 'continues' ? search : undefined;
    if (this.#search) this.#below = [search.hint];
    return outcome !== 'unhandled';
  }

  onCovered(isCovered: boolean): void {
    this.#isCovered = isCovered;
    if (isCovered) this.#parts.view.hide();
    else this.#drawSoon();
  }

  onResized(): void {
    this.#drawSoon();
  }

  /** Removes the line from the screen. */
  close(): void {
    this.#isCovered = true;
    this.#parts.view.hide();
  }

  #take(key: KeyPress): void {
    const { name, text } = key;
    const line = this.#line;
    // A terminal that does not mark a paste reports it as typed text.
    if (name === 'text' || name === 'paste') this.#line = insert(line, this.#pastes.markFor(text));
    else if (name === 'enter') this.#enter();
    else if (['ctrl-j', 'alt-enter', 'shift-enter'].includes(name)) this.#line = insert(line, '\n');
    else if (name === 'escape') this.#cancel('escape');
    else if (name === 'ctrl-c') this.#cancel('ctrl-c');
    else if (name === 'closed' || (name === 'ctrl-d' && line.text === '')) this.#end({ type: 'ended' });
    else if (name === 'ctrl-y') this.#line = insert(line, this.#killed);
    else if (isUp(name) || isDown(name)) this.#moveRow(isUp(name) ? 'up' : 'down');
    else this.#edit(name);
  }

  #edit(name: string): void {
    const line = this.#line;
    const movement = movements[name];
    const deletion = deletions[name];
    if (movement) this.#line = { ...line, cursor: movement(line) };
    if (!deletion) return;
    const mark = backwards.has(name) && this.#pastes.markAtEnd(line.text.slice(0, line.cursor));
    const { taken, ...left } = cutTo(line, mark ? line.cursor - mark.length : deletion(line));
    if (taken.length > 1) this.#killed = taken;
    this.#line = left;
  }

  #moveRow(direction: 'up' | 'down'): void {
    const moved = moveRow(this.#line, direction);
    const recalled = moved ? undefined : this.#parts.history?.[direction](this.#line.text);
    if (moved) this.#line = moved;
    else if (recalled !== undefined) this.line = lineOf(recalled);
  }

  /** Ends the line, unless a backslash at its end continues it. */
  #enter(): void {
    const { text, cursor } = this.#line;
    if (cursor === text.length && text.endsWith('\\')) this.#line = lineOf(`${text.slice(0, -1)}\n`);
    else this.#end({ type: 'line', text: this.#pastes.expand(text), shown: text });
  }

  #cancel(key: 'escape' | 'ctrl-c'): void {
    this.#end({ type: 'cancelled', key, wasEmpty: this.#line.text === '' });
  }

  #end(typed: TypedLine): void {
    this.#line = emptyLine;
    this.#parts.onTyped(typed);
  }

  /** Draws once for all keys of a read. */
  #drawSoon(): void {
    if (this.#willDraw) return;
    this.#willDraw = true;
    queueMicrotask(() => {
      this.#willDraw = false;
      if (!this.#isCovered) this.#parts.view.draw(this.#line, this.#below);
    });
  }
}

const backwards: ReadonlySet<string> = new Set(['backspace', 'ctrl-h', 'ctrl-w', 'alt-backspace']);

const isUp = (name: string): boolean => name === 'up' || name === 'ctrl-p';
const isDown = (name: string): boolean => name === 'down' || name === 'ctrl-n';
