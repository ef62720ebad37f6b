import { columnsOf } from './columns.js';

/** Where the next character is typed: from 0, in the rows of the part and in columns. */
export interface CursorPlace {
  readonly row: number;
  readonly column: number;
}

/** What the screen is to show: lines that scroll away, and below them rows that will be drawn over. */
export interface Frame {
  /** Whole lines, or nothing. */
  readonly above: string;
  /** Each as wide as the window at most. */
  readonly rows: readonly string[];
  readonly cursor: CursorPlace | undefined;
}

const SYNCHRONIZED = ['\u001b[?2026h', '\u001b[?2026l'] as const;
/** A live row never runs on to the next, however wide the terminal thinks its characters are. */
const UNWRAPPED = ['\u001b[?7l', '\u001b[?7h'] as const;
const HIDE_CURSOR = '\u001b[?25l';
const SHOW_CURSOR = '\u001b[?25h';
const ERASE_BELOW = '\u001b[J';
const ERASE_TO_END = '\u001b[K';
const NO_STYLE = '\u001b[0m';

/**
 * The rows at the end of a terminal as they stand there, and what is to be written to it so that they become others:
 * only what changed, in one piece that the terminal shows at once. Writes nothing itself.
 */
export class LiveRegion {
  #drawn: readonly string[] = [];
  /** Where the terminal's cursor is. */
  #row = 0;
  #column = 0;
  #drawnWidth = 0;
  #isCursorHidden = false;

  get isEmpty(): boolean {
    return this.#drawn.length === 0;
  }

  /** What turns what stands there into the frame; nothing where they are the same. */
  change({ above, rows, cursor }: Frame, width: number): string {
    const changes = this.#replaced(above) + this.#changes(rows, width) + this.#place(cursor);
    return changes && `${SYNCHRONIZED[0]}${changes}${SYNCHRONIZED[1]}`;
  }

  /** Takes it from the terminal, and gives the cursor back. */
  leave(): string {
    const left = this.#erased() + (this.#isCursorHidden ? SHOW_CURSOR : '');
    this.#isCursorHidden = false;
    return left;
  }

  /** After a change of size: terminals break the rows that are too long now, so that there are more of them. */
  eraseResized(width: number): string {
    const broken = (columns: number) => Math.max(1, Math.ceil(columns / width));
    const above = this.#drawn.slice(0, this.#row);
    this.#row =
      width < this.#drawnWidth
        ? above.reduce((rows, row) => rows + broken(columnsOf(row)), broken(this.#column + 1) - 1)
        : above.length;
    return this.#erased();
  }

  /** The terminal shows none of it any more. */
  forget(): void {
    this.#drawn = [];
    [this.#row, this.#column] = [0, 0];
  }

  #erased(): string {
    const erased = this.isEmpty ? '' : this.#moveTo(0) + ERASE_BELOW;
    this.forget();
    return erased;
  }

  /** The lines in place of the rows, of which nothing is left then. */
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
    // At the right edge there is nothing to erase, and the last character would be.
    const ended = row.includes('\u001b[') ? `${row}${NO_STYLE}` : row;
    return `${move}${ended}${this.#column < width ? ERASE_TO_END : ''}`;
  }

  /** Puts the cursor where the person types; hidden where nobody does. */
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

  /** To the beginning of a row. */
  #moveTo(row: number): string {
    const by = row - this.#row;
    [this.#row, this.#column] = [row, 0];
    if (by === 0) return '\r';
    return `\r\u001b[${Math.abs(by)}${by < 0 ? 'A' : 'B'}`;
  }
}
