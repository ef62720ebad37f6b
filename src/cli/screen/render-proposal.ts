import { renderCall } from '../../conversation/call-text.js';
import type { ApprovalRequest } from '../../sdk/actions/approval.js';
import type { Display } from '../display/display.js';
import type { Paint } from '../display/paint.js';
import { showExact, showExactLine } from './visible-text.js';

interface ProposalView extends Pick<Display, 'paint' | 'width'> {
  /** Maximum number of rows; the rest is counted. */
  readonly maxLines: number;
}

/** Renders an action in a frame: its diff or command if the tool gives a preview, otherwise the call. */
export function renderProposal(
  request: Pick<ApprovalRequest, 'action' | 'preview'>,
  { paint, width, maxLines }: ProposalView,
): readonly string[] {
  const title = `${showExactLine(request.action.tool_name)} needs your approval`;
  const edge = '─'.repeat(Math.max(0, Math.min(width, 80) - title.length - 5));
  const rows = proposalRows(request, width);
  const side = paint('yellow', '│');
  const more = rows.length - maxLines;
  return [
    `${paint('yellow', '╭─')} ${paint('bold', title)} ${paint('yellow', edge)}`,
    ...rows.slice(0, maxLines).map((row) => `${side} ${paintRow(paint, row)}`),
    ...(more > 0 ? [`${side} ${paint('dim', `… ${more} more lines`)}`] : []),
    paint('yellow', '╰─'),
  ];
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

/**
 * Splits a proposal into rows. Lines are broken here, since a line broken by the terminal would continue outside the
 * frame and could look like the frame's end.
 */
export function proposalRows(
  { action, preview }: Pick<ApprovalRequest, 'action' | 'preview'>,
  width: number,
): readonly ProposalRow[] {
  const text = showExact(preview ?? renderCall(action.tool_name, action.tool_args));
  const columns = Math.max(MIN_COLUMNS, width - MARGIN_COLUMNS);
  return text
    .trimEnd()
    .split('\n')
    .flatMap((line) =>
      breakLine(line, columns).map((part, index) => ({ text: part, line, isContinued: index > 0 })),
    );
}

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
