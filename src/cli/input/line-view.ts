import { columnsOf } from '../display/columns.js';
import type { Display } from '../display/display.js';
import type { CursorPlace } from '../display/live-region.js';
import { showExact, showTextLine } from '../screen/visible-text.js';
import type { Line } from './line.js';

/** Draws a line while it is typed. */
export interface LineView {
  /** Draws the line with rows of dim text below it. */
  draw(line: Line, below: readonly string[]): void;
  hide(): void;
  /** Prints a sent text permanently. */
  keep(text: string): void;
}

interface LiveViewParts {
  readonly display: Display;
  /** The question with its styles. */
  readonly question: string;
  /** The question without styles. */
  readonly plainQuestion: string;
}

/** Number of rows reserved for the other contents of the window. */
const OTHER_ROWS = 3;

/** Returns a view that redraws the line in the live region. */
export function liveView({ display, question, plainQuestion }: LiveViewParts): LineView {
  const indent = columnsOf(plainQuestion);
  const room = (height: number) => ({ question, indent, width: display.width, height });
  const hide = () => {
    display.show('input', []);
    display.show('hint', []);
  };
  return {
    draw: (line, below) => {
      const height = Math.max(1, display.height - OTHER_ROWS - below.length);
      const { rows, cursor } = layOutLine(line, room(height));
      display.show('input', rows, cursor);
      display.show('hint', below);
    },
    hide,
    keep: (text) =>
      display.print(layOutLine({ text, cursor: 0 }, room(Number.POSITIVE_INFINITY)).rows.join('\n')),
  };
}

/** Returns a view for terminals that cannot redraw: typed text is appended, and a changed line is written again. */
export function plainView(output: Pick<NodeJS.WriteStream, 'write'>, question: string): LineView {
  let written: string | undefined;
  return {
    draw: ({ text }, below) => {
      const shown = showExact(text);
      for (const row of below) output.write(`\n${row}`);
      const goesOn = written !== undefined && below.length === 0 && shown.startsWith(written);
      const before = written === undefined ? '' : '\n';
      output.write(goesOn ? shown.slice(written?.length) : `${before}${question}${shown}`);
      written = shown;
    },
    hide: () => {
      if (written !== undefined) output.write('\n');
      written = undefined;
    },
    keep: (text) => {
      const isThere = written === showExact(text);
      output.write(isThere ? '\n' : `${written === undefined ? '' : '\n'}${question}${showExact(text)}\n`);
      written = undefined;
    },
  };
}

interface Room {
  /** Text before the first row. The other rows are indented by the width of this text. */
  readonly question: string;
  /** Width of the question in columns. */
  readonly indent: number;
  /** Width of the terminal in columns. */
  readonly width: number;
  /** Maximum number of rows. Of a longer line, the rows around the cursor are visible. */
  readonly height: number;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** Lays out a typed text in rows and locates its cursor. */
function layOutLine(
  { text, cursor }: Line,
  { question, indent, width, height }: Room,
): { readonly rows: readonly string[]; readonly cursor: CursorPlace } {
  const rows = [question];
  let column = indent;
  let place: CursorPlace | undefined;
  const breakRow = () => {
    rows.push(' '.repeat(indent));
    column = indent;
  };
  for (const { segment, index } of graphemes.segment(text)) {
    const shown = segment === '\n' ? '' : segment === '\t' ? '  ' : showTextLine(segment);
    const columns = columnsOf(shown);
    if (column + columns > width - 1 && column > indent) breakRow();
    if (place === undefined && index + segment.length > cursor) place = { row: rows.length - 1, column };
    rows[rows.length - 1] += shown;
    column += columns;
    if (segment === '\n') breakRow();
  }
  const { row, ...at } = place ?? { row: rows.length - 1, column };
  const from = Math.max(0, Math.min(rows.length - height, row - Math.floor(height / 2)));
  return { rows: rows.slice(from, from + height), cursor: { ...at, row: row - from } };
}
