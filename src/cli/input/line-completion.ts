import { columnsOf } from '../display/columns.js';
import { cut } from '../display/wrap.js';
import { showExactLine } from '../screen/shown-text.js';
import { cutTo, insert, type Line } from './line.js';

/** Words that may stand in place of what lies between a place of the line and the cursor. */
export interface Completion {
  readonly from: number;
  readonly words: readonly string[];
}

/** Rows of words below the line. */
const MAX_ROWS = 6;

/** The line with as much as all the words have in common, or the only one; a folder is not finished yet. */
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

/** Words side by side, as many as fit, and how many more there are. */
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
