import { inspect } from 'node:util';
import { charactersOf, columnsOf } from './columns.js';

const NO_STYLE = '\u001b[0m';
/** Scripts written without spaces: a row may end after any of their characters. */
const UNSPACED = String.raw`\u3041-\u3096\u30a0-\u30ff\u3400-\u4dbf\u4e00-\u9fff`;
/** Closing signs, with which a row must not begin. A row must not end with one of the opening signs below. */
const CLOSING = String.raw`\u3001\u3002\u3005\u3009\u300b\u300d\u300f\u3011\u30fb\u30fc\uff01\uff09\uff0c\uff0e\uff1a\uff1b\uff1f,.;:!?)\]}'"`;
const OPENING = String.raw`\u3008\u300a\u300c\u300e\u3010\uff08(\[{`;

/** A character of a script without spaces, with up to three opening signs before it. */
const OPENED = `[${OPENING}]{0,3}[${UNSPACED}]`;

/** Matches the parts of a row: a style, spaces, or text. Text is only broken if it is wider than a row. */
const parts = new RegExp(
  [
    String.raw`\u001b\[[\d;]*m`,
    ' +',
    `${OPENED}[${CLOSING}]*`,
    String.raw`(?:(?!${OPENED})[^ \u001b])+`,
    '.',
  ].join('|'),
  'gsu',
);

/**
 * Wraps a text between words. A word wider than a row is broken anywhere. The rows of an indented line are indented
 * too. Styles end with each row and begin again in the next.
 */
export function wrap(text: string, columns: number): readonly string[] {
  const rows = new Rows(columns);
  for (const line of text.split('\n')) rows.addLine(line);
  return rows.done;
}

/** Maximum number of UTF-16 units per column. Only stacked combining marks have more. */
const MAX_UNITS_PER_COLUMN = 32;

/** Cuts a row to a width and ends its styles. */
export function cut(row: string, columns: number): string {
  const beginning = row.slice(0, columns * MAX_UNITS_PER_COLUMN);
  if (columnsOf(beginning) <= columns) return beginning;
  const rows = new Rows(columns);
  for (const [part] of beginning.matchAll(parts)) rows.addAnywhere(part);
  return rows.done[0] ?? beginning;
}

/** Cuts a row to a width and marks the cut with `…`. */
export function clip(row: string, columns: number): string {
  const kept = cut(row, columns);
  return kept === row ? row : `${cut(row, Math.max(1, columns - 1))}…`;
}

const isStyle = (part: string): boolean => part.startsWith('\u001b');

/** Collects the rows of a text that is being wrapped. */
class Rows {
  readonly done: string[] = [];
  readonly #columns: number;
  readonly #style = new OpenStyles();
  #row = '';
  #filled = 0;
  #between: string[] = [];
  #indent = '';

  constructor(columns: number) {
    this.#columns = columns;
  }

  addLine(line: string): void {
    const [indent = ''] = /^ */.exec(line) ?? [];
    const isWhole = columnsOf(line) <= this.#columns;
    this.#indent = isWhole || indent.length < this.#columns / 2 ? indent : '';
    this.#begin();
    for (const [part] of line.slice(indent.length).matchAll(parts)) {
      if (isWhole) this.#put(part);
      else this.#fill(part);
    }
    this.#putBetween({ spaces: false });
    this.#end();
  }

  #fill(part: string): void {
    if (isStyle(part) || part.startsWith(' ')) {
      this.#between.push(part);
      return;
    }
    const spaces = this.#between.reduce((sum, before) => sum + columnsOf(before), 0);
    const isEmpty = this.#filled === this.#indent.length;
    if (!isEmpty && this.#filled + spaces + columnsOf(part) > this.#columns) {
      this.#putBetween({ spaces: false });
      this.#next();
    }
    this.#putBetween({ spaces: true });
    this.addAnywhere(part);
  }

  /** Adds the styles and spaces since the last word; spaces at the end of a row are dropped. */
  #putBetween({ spaces }: { spaces: boolean }): void {
    for (const part of this.#between) if (spaces || isStyle(part)) this.addAnywhere(part);
    this.#between = [];
  }

  addAnywhere(part: string): void {
    const needed = columnsOf(part);
    if (this.#filled + needed <= this.#columns) this.#put(part, needed);
    else this.#break(part);
  }

  #break(part: string): void {
    for (const character of charactersOf(part)) {
      const width = columnsOf(character);
      if (this.#filled + width > this.#columns && this.#filled > this.#indent.length) this.#next();
      this.#put(character, width);
    }
  }

  #put(part: string, columns = 0): void {
    if (isStyle(part)) this.#style.change(part);
    this.#row += part;
    this.#filled += columns;
  }

  #next(): void {
    this.#end();
    this.#begin();
  }

  #begin(): void {
    this.#row = this.#indent + this.#style.codes;
    this.#filled = this.#indent.length;
  }

  #end(): void {
    this.done.push(this.#style.codes ? this.#row + NO_STYLE : this.#row);
  }
}

/** Start and end code of each style, as Node.js writes them. */
const styles: readonly (readonly number[] | undefined)[] = Object.values(inspect.colors);
const endOf = new Map(styles.map((codes = []) => [String(codes[0]), String(codes[1])]));
const ends = new Set(endOf.values());

/** Styles that are active at the end of the text so far. */
class OpenStyles {
  #open: readonly { readonly begin: string; readonly end: string | undefined }[] = [];

  get codes(): string {
    return this.#open.map(({ begin }) => begin).join('');
  }

  change(style: string): void {
    const code = style.slice(2, -1);
    if (code === '' || code === '0') this.#open = [];
    else if (ends.has(code)) this.#open = this.#open.filter((open) => open.end !== code);
    else this.#open = [...this.#open, { begin: style, end: endOf.get(code) }];
  }
}
