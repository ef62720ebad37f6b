import { columnsOf } from '../display/columns.js';
import { cut } from '../display/wrap.js';
import { showExactLine } from '../screen/visible-text.js';
import { cutTo, insert, type Line } from './line.js';

/** Words that can replace the text between `from` and the cursor. */
export interface Completion {
  readonly from: number;
  readonly words: readonly string[];
}

/** Maximum rows of words below the line. */
const MAX_ROWS = 6;

/**
 * Completes the line with the common beginning of all words, or with the only word and a space. A folder gets no
 * space, since its path can continue.
 */
export function complete(line: Line, { from, words }: Completion): Line {
  const [first = ''] = words;
  const common = words.reduce(commonStart, first);
  const typed = line.text.slice(from, line.cursor);
  const isOne = words.length === 1;
  if (!isOne && common.length <= typed.length) return line;
  return insert(cutTo(line, from), isOne && !first.endsWith('/') ? `${first} ` : common);
}

function commonStart(a: string, b: string): string {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return a.slice(0, length);
}

/** Lays out words in columns. A last row says how many words do not fit. */
export function wordRows(words: readonly string[], width: number): readonly string[] {
  const shown = words.map(showExactLine);
  const column = Math.max(...shown.map(columnsOf)) + 2;
  const perRow = Math.max(1, Math.floor((width - 2) / column));
  const rows: string[] = [];
  for (let at = 0; at < shown.length && rows.length < MAX_ROWS; at += perRow) {
    const cells = shown.slice(at, at + perRow).map((word) => word + ' '.repeat(column - columnsOf(word)));
    rows.push(cut(`  ${cells.join('')}`.trimEnd(), width));
  }
  const more = shown.length - rows.length * perRow;
  return more > 0 ? [...rows, `  … ${more} more`] : rows;
}
