import { columnsOf } from './columns.js';

/** The position of the cursor in rows and columns, both from 0. */
export interface CursorPlace {
  readonly row: number;
  readonly column: number;
}

/** The content of the screen: lines that scroll away, and rows below them that are redrawn. */
export interface Frame {
  /** Whole lines to print, or an empty text. */
  readonly above: string;
  /** Rows, each at most as wide as the window. */
  readonly rows: readonly string[];
  readonly cursor: CursorPlace | undefined;
}

const SYNCHRONIZED = ['\u001b[?2026h', '\u001b[?2026l'] as const;
/**
 * Control sequences that turn line wrapping off and on. It is off for live rows, since a terminal may measure
 * characters differently.
 */
const UNWRAPPED = ['\u001b[?7l', '\u001b[?7h'] as const;
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const ERASE_BELOW = '\u001b[J';
const ERASE_TO_END = '\u001b[K';
const NO_STYLE = '\u001b[0m';

/**
 * Computes the smallest output that turns the live rows of a terminal into new ones, as one synchronized update.
 * Writes nothing itself.
 */
export class LiveRegion {
  #drawn: readonly string[] = [];
  /** The row of the terminal's cursor. */
  #row = 0;
  #column = 0;
  #drawnWidth = 0;
  #isCursorHidden = false;

  get isEmpty(): boolean {
    return this.#drawn.length === 0;
  }

  /** Returns the output that draws the frame; empty if nothing changed. */
  change({ above, rows, cursor }: Frame, width: number): string {
    const changes = this.#replaced(above) + this.#changes(rows, width) + this.#place(cursor);
    return changes && `${SYNCHRONIZED[0]}${changes}${SYNCHRONIZED[1]}`;
  }

  /** Returns the output that erases the live rows and shows the cursor. */
  leave(): string {
    const left = this.#erased() + (this.#isCursorHidden ? SHOW_CURSOR : '');
    this.#isCursorHidden = false;
    return left;
  }

  /**
   * Returns the output that erases the rows after a resize. A terminal wraps rows that are wider than the new window,
   * so the rows may take more lines than before.
   */
  eraseResized(width: number): string {
    const broken = (columns: number) => Math.max(1, Math.ceil(columns / width));
    const above = this.#drawn.slice(0, this.#row);
    this.#row =
      width < this.#drawnWidth
        ? above.reduce((rows, row) => rows + broken(columnsOf(row)), broken(this.#column + 1) - 1)
        : above.length;
    return this.#erased();
  }

  /** Resets the state after the terminal has been cleared. */
  forget(): void {
    this.#drawn = [];
    [this.#row, this.#column] = [0, 0];
  }

  #erased(): string {
    const erased = this.isEmpty ? '' : this.#moveTo(0) + ERASE_BELOW;
    this.forget();
    return erased;
  }

  /** Returns the output that erases the rows and prints the lines instead. */
  #replaced(lines: string): string {
    if (!lines) return '';
    const erased = this.#moveTo(0) + ERASE_BELOW;
    this.forget();
    return erased + lines;
  }

  #changes(rows: readonly string[], width: number): string {
    const before = this.#drawn;
    let changes = rows
      .map((row, index) => (row === before[index] ? '' : this.#redrawn(row, { index, width })))
      .join('');
    if (rows.length < before.length) changes += this.#moveTo(rows.length) + ERASE_BELOW;
    this.#drawn = rows;
    this.#drawnWidth = width;
    return changes && `${UNWRAPPED[0]}${changes}${UNWRAPPED[1]}`;
  }

  #redrawn(row: string, { index, width }: { index: number; width: number }): string {
    const isNew = index > 0 && index >= this.#drawn.length;
    const move = isNew ? `${this.#moveTo(index - 1)}\n` : this.#moveTo(index);
    this.#row = index;
    this.#column = columnsOf(row);
    // A row of full width is not followed by `ERASE_TO_END`, which would erase its last character.
    const ended = row.includes('\u001b[') ? `${row}${NO_STYLE}` : row;
    return `${move}${ended}${this.#column < width ? ERASE_TO_END : ''}`;
  }

  /** Moves the cursor to where the person types, or hides it if no input is active. */
  #place(cursor: CursorPlace | undefined): string {
    const shouldHide = cursor === undefined && !this.isEmpty;
    const visibility = shouldHide ? HIDE_CURSOR : SHOW_CURSOR;
    const change = shouldHide === this.#isCursorHidden ? '' : visibility;
    this.#isCursorHidden = shouldHide;
    if (cursor === undefined || (cursor.row === this.#row && cursor.column === this.#column)) return change;
    const move = this.#moveTo(cursor.row) + (cursor.column > 0 ? `\u001b[${cursor.column}C` : '');
    this.#column = cursor.column;
    return move + change;
  }

  /** Moves to the beginning of a row. */
  #moveTo(row: number): string {
    const by = row - this.#row;
    [this.#row, this.#column] = [row, 0];
    if (by === 0) return '\r';
    return `\r\u001b[${Math.abs(by)}${by < 0 ? 'A' : 'B'}`;
  }
}
