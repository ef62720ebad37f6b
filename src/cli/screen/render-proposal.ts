import { renderCall } from '../../conversation/call-text.js';
import type { ApprovalRequest } from '../../sdk/actions/approval.js';
import type { Display } from '../display/display.js';
import type { Paint } from '../display/paint.js';
import { showExact, showExactLine } from './visible-text.js';

interface ProposalView extends Pick<Display, 'paint' | 'width'> {
  /** Maximum number of rows. Of a longer proposal, only the first and the last rows are shown. */
  readonly maxLines: number;
  /**
   * True to show runs of blanks in full. By default, a long run is replaced by its length, so that it cannot push text
   * out of view.
   */
  readonly showsBlanks?: boolean;
}

type Proposal = Pick<ApprovalRequest, 'action' | 'preview'>;

/** Renders an action in a frame: its diff or command if the tool gives a preview, otherwise the call. */
export function renderProposal(request: Proposal, view: ProposalView): readonly string[] {
  const { paint, width } = view;
  const title = `${showExactLine(request.action.tool_name)} needs your approval`;
  const edge = '─'.repeat(Math.max(0, Math.min(width, 80) - title.length - 5));
  return [
    `${paint('yellow', '╭─')} ${paint('bold', title)} ${paint('yellow', edge)}`,
    ...renderRows(request, view),
    paint('yellow', '╰─'),
  ];
}

/** Rows of a frame besides its content. */
const EDGE_ROWS = 2;
/** Minimum number of rows that show a beginning, the number of left-out rows, and an end. */
export const MIN_PROPOSAL_ROWS = 3;

/**
 * Renders the beginning and the end of an action in at most this many rows, for windows in which the whole proposal
 * would scroll away. The frame is left out if there is no room for it.
 */
export function renderShortProposal(request: Proposal, view: ProposalView): readonly string[] {
  const { maxLines } = view;
  if (maxLines >= EDGE_ROWS + MIN_PROPOSAL_ROWS)
    return renderProposal(request, { ...view, maxLines: maxLines - EDGE_ROWS });
  const rows = renderRows(request, view);
  return rows.length <= maxLines ? rows : [renderInOneRow(request, view)];
}

/** Renders the beginning and the end of an action in one row, for windows of very few rows. */
function renderInOneRow(request: Proposal, { paint, width }: ProposalView): string {
  const line = countBlanks(textOf(request)).replaceAll('\n', ' ⏎ ');
  const columns = Math.max(MIN_COLUMNS, width - 2);
  const half = Math.floor((columns - 1) / 2);
  const isWhole = breakLine(line, columns).length === 1;
  const text = isWhole
    ? line
    : `${breakLine(line, half)[0]}${paint('bold', '…')}${breakFromEnd(line, half).at(-1)}`;
  return `${paint('yellow', '│')} ${text}`;
}

/**
 * Renders all rows. If there are too many, renders the first and the last ones, and between them the number of omitted
 * rows.
 */
function renderRows(
  request: Proposal,
  { paint, width, maxLines, showsBlanks }: ProposalView,
): readonly string[] {
  const side = paint('yellow', '│');
  const painted = (some: readonly ProposalRow[]) => some.map((row) => `${side} ${paintRow(paint, row)}`);
  const rows = proposalRows(request, { width, showsBlanks });
  if (rows.length <= maxLines) return painted(rows);
  const kept = Math.max(2, maxLines - 1);
  const tail = Math.floor(kept / 2);
  const more = `${side} ${paint('bold', `… ${rows.length - kept} more lines …`)}`;
  const last = lastRows(rows, tail, columnsAt(width));
  if (maxLines === 2) {
    const text = last.map((row) => paintDiff(paint, row)).join('');
    return [...painted(rows.slice(0, 1)), `${side} ${paint('bold', '… ')}${text}`];
  }
  return [...painted(rows.slice(0, kept - tail)), more, ...painted(last)];
}

/** Returns the last rows, broken from the end, so that the last one is full and not a remainder of a few characters. */
function lastRows(rows: readonly ProposalRow[], count: number, columns: number): readonly ProposalRow[] {
  const last = rows.slice(-count - 1);
  const begins = last.findLastIndex(({ isContinued }) => !isContinued);
  const from = Math.max(0, begins);
  const text = last
    .slice(from)
    .map((row) => row.text)
    .join('');
  const texts = breakFromEnd(text, columns);
  const line = last[from]?.line ?? '';
  const broken = texts.map((text, index) => ({ text, line, isContinued: begins < 0 || index > 0 }));
  return [...last.slice(0, from), ...broken].slice(-count);
}

interface ProposalRow {
  readonly text: string;
  /** The line that the row is a part of. */
  readonly line: string;
  readonly isContinued: boolean;
}

/** Marks a row that continues the line above. */
const CONTINUATION = '↳ ';
/** Columns for the frame and the continuation mark. */
const MARGIN_COLUMNS = 4;
const MIN_COLUMNS = 10;

const columnsAt = (width: number): number => Math.max(MIN_COLUMNS, width - MARGIN_COLUMNS);

/**
 * Splits a proposal into rows. Lines are broken here, since a line broken by the terminal would continue outside the
 * frame and could look like the frame's end.
 */
export function proposalRows(
  request: Proposal,
  { width, showsBlanks = false }: { readonly width: number; readonly showsBlanks?: boolean | undefined },
): readonly ProposalRow[] {
  const text = textOf(request);
  const columns = columnsAt(width);
  return (showsBlanks ? text : countBlanks(text))
    .split('\n')
    .flatMap((line) =>
      breakLine(line, columns).map((part, index) => ({ text: part, line, isContinued: index > 0 })),
    );
}

const textOf = ({ action, preview }: Proposal): string =>
  showExact(preview ?? renderCall(action.tool_name, action.tool_args)).trimEnd();

/** Splits a line as `breakLine` does, but so that its first part is the short one. */
const breakFromEnd = (line: string, columns: number): string[] =>
  breakLine([...line].reverse().join(''), columns)
    .map((part) => [...part].reverse().join(''))
    .reverse();

/** Longest run of blanks in a line, and of empty lines, that is shown in full. */
const MAX_BLANKS = 16;
const MAX_EMPTY_LINES = 3;
const blankRuns = new RegExp(`[ \\t]{${MAX_BLANKS + 1},}`, 'g');
/** Matches a run of equal empty lines; in a diff, each begins with the same sign. */
const emptyLines = new RegExp(`^([ +-]?)[ \\t]*(?:\\n\\1[ \\t]*){${MAX_EMPTY_LINES},}$`, 'gm');

/** Replaces long runs of blanks and of empty lines by their number. */
export const countBlanks = (text: string): string =>
  text
    .replace(emptyLines, (run, sign: string) => `${sign}<${run.split('\n').length} empty lines>`)
    .replace(blankRuns, (run) => `<${run.length} blanks>`);

/** Splits a line into rows of at most `columns` columns. */
export function breakLine(line: string, columns: number): string[] {
  const parts: string[] = [];
  let [start, end, filled] = [0, 0, 0];
  for (const character of line) {
    const needed = columnsOf(character);
    if (filled + needed > columns) {
      parts.push(line.slice(start, end));
      [start, filled] = [end, 0];
    }
    filled += needed;
    end += character.length;
  }
  return [...parts, line.slice(start)];
}

/** Returns an upper bound for the width. Breaking a row early is harmless. */
function columnsOf(character: string): number {
  if (character === '\t') return 8;
  return /[\u1100-\u11ff\u2e80-\u{10ffff}]|\p{Emoji}/u.test(character) && character > '\u007f' ? 2 : 1;
}

function paintRow(paint: Paint, { text, line, isContinued }: ProposalRow): string {
  const painted = paintDiff(paint, { text, line });
  return isContinued ? `${paint('dim', CONTINUATION)}${painted}` : painted;
}

function paintDiff(paint: Paint, { text, line }: { text: string; line: string }): string {
  if (line.startsWith('+')) return paint('green', text);
  return line.startsWith('-') ? paint('red', text) : text;
}
