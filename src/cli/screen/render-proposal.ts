import { renderCall } from '../../conversation/call-text.js';
import type { ApprovalRequest } from '../../sdk/actions/approval.js';
import type { Display } from '../display/display.js';
import type { Paint } from '../display/paint.js';
import { showExact, showExactLine } from './visible-text.js';

interface ProposalView extends Pick<Display, 'paint' | 'width'> {
  /** Maximum number of rows; of more rows the first and the last ones are shown. */
  readonly maxLines: number;
  /** Shows runs of blanks in full. By default they are counted, so that nothing can hide behind them. */
  readonly showsBlanks?: boolean;
}

type Proposal = Pick<ApprovalRequest, 'action' | 'preview'>;

/** Renders an action in a frame: its diff or command if the tool gives a preview, otherwise the call. */
export function renderProposal(request: Proposal, view: ProposalView): readonly string[] {
  const { paint, width, maxLines } = view;
  const title = `${showExactLine(request.action.tool_name)} needs your approval`;
  const edge = '─'.repeat(Math.max(0, Math.min(width, 80) - title.length - 5));
  return [
    `${paint('yellow', '╭─')} ${paint('bold', title)} ${paint('yellow', edge)}`,
    ...headAndTail(paintedRows(request, view), maxLines, paint),
    paint('yellow', '╰─'),
  ];
}

/** Rows of a frame besides its content. */
const EDGE_ROWS = 2;
/** Fewest rows that show a beginning, the number of left-out rows, and an end. */
export const MIN_PROPOSAL_ROWS = 3;

/**
 * Renders the beginning and the end of an action in at most this many rows, for windows in which the whole proposal
 * would scroll away. The frame is left out if there is no room for it.
 */
export function renderShortProposal(request: Proposal, view: ProposalView): readonly string[] {
  const { paint, maxLines } = view;
  if (maxLines >= EDGE_ROWS + MIN_PROPOSAL_ROWS)
    return renderProposal(request, { ...view, maxLines: maxLines - EDGE_ROWS });
  const rows = paintedRows(request, view);
  if (maxLines >= MIN_PROPOSAL_ROWS || rows.length <= maxLines) return headAndTail(rows, maxLines, paint);
  const [first = '', last = ''] = [rows[0], rows.at(-1)];
  return maxLines === 2 ? [first, last] : ['The window is too small to show what needs your approval.'];
}

/** Keeps the first and the last rows, with the number of those between them. */
function headAndTail(rows: readonly string[], max: number, paint: Paint): readonly string[] {
  if (rows.length <= max) return rows;
  const kept = Math.max(2, max - 1);
  const tail = Math.floor(kept / 2);
  const more = `… ${rows.length - kept} more lines …`;
  const marker = `${paint('yellow', '│')} ${paint('bold', more)}`;
  return [...rows.slice(0, kept - tail), marker, ...rows.slice(rows.length - tail)];
}

/** A row of a proposal on the terminal. */
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

function paintedRows(request: Proposal, { paint, width, showsBlanks }: Omit<ProposalView, 'maxLines'>) {
  const side = paint('yellow', '│');
  return proposalRows(request, { width, showsBlanks }).map((row) => `${side} ${paintRow(paint, row)}`);
}

/**
 * Splits a proposal into rows. Lines are broken here, since a line broken by the terminal would continue outside the
 * frame and could look like the frame's end.
 */
export function proposalRows(
  { action, preview }: Proposal,
  { width, showsBlanks = false }: { readonly width: number; readonly showsBlanks?: boolean | undefined },
): readonly ProposalRow[] {
  const text = showExact(preview ?? renderCall(action.tool_name, action.tool_args)).trimEnd();
  const columns = Math.max(MIN_COLUMNS, width - MARGIN_COLUMNS);
  return (showsBlanks ? text : countBlanks(text))
    .split('\n')
    .flatMap((line) =>
      breakLine(line, columns).map((part, index) => ({ text: part, line, isContinued: index > 0 })),
    );
}

/** Longest run of blanks in a line, and of empty lines, that is shown in full. */
const MAX_BLANKS = 16;
const MAX_EMPTY_LINES = 3;
const blankRuns = new RegExp(`[ \\t]{${MAX_BLANKS + 1},}`, 'g');
/** The same empty line many times; in a diff each begins with its sign. */
const emptyLines = new RegExp(`^([ +-]?)[ \\t]*(?:\\n\\1[ \\t]*){${MAX_EMPTY_LINES},}$`, 'gm');

/** Replaces long runs of blanks and of empty lines by their number. */
const countBlanks = (text: string): string =>
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
