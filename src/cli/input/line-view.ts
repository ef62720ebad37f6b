import { columnsOf } from '../display/columns.js';
import type { Display } from '../display/display.js';
import type { CursorPlace } from '../display/live-region.js';
import { showExact, showTextLine } from '../screen/shown-text.js';
import type { Line } from './line.js';

/** Where a line is drawn while it is typed. */
export interface LineView {
  /** With rows of dim text below it. */
  draw(line: Line, below: readonly string[]): void;
  hide(): void;
  /** Leaves a text on the screen for good, as it was sent. */
  keep(text: string): void;
}

interface LiveViewParts {
  readonly display: Display;
  /** Painted or not. */
  readonly question: string;
  /** As it is read. */
  readonly plainQuestion: string;
}

/** Rows of the window that are left to what stands around the line. */
const OTHER_ROWS = 3;

/** In the live region: drawn over as it changes. */
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

/** Where nothing can be drawn over: what is typed is written on, and a line that changed is written anew. */
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
  /** Stands before the first row; the others are indented by as much. */
  readonly question: string;
  /** Columns of the question. */
  readonly indent: number;
  /** Columns of the terminal. */
  readonly width: number;
  /** Rows that there is room for: of a line with more, those around the cursor are shown. */
  readonly height: number;
}

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** The rows in which a typed text stands, and where its cursor is. */
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
