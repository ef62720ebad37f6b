import { renderCall } from '../../conversation/call-text.js';
import type { ApprovalRequest } from '../../sdk/actions/approval.js';
import type { Display } from '../display/display.js';
import type { Paint } from '../display/paint.js';
import { showExact, showExactLine } from './shown-text.js';

interface ProposalView extends Pick<Display, 'paint' | 'width'> {
  /** Rows to show; the rest is counted. */
  readonly maxLines: number;
}

/** What an action would do, in a frame: its diff or command where the tool can tell, else the call. */
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

/** A row of the terminal. */
interface ProposalRow {
  readonly text: string;
  /** The line that the row is a part of. */
  readonly line: string;
  readonly isContinued: boolean;
}

/** Before what goes on with the line of the row above. */
const CONTINUATION = '↳ ';
/** Of the frame, and of the mark of a continuation. */
const MARGIN_COLUMNS = 4;
const MIN_COLUMNS = 10;

/**
 * The text of a proposal, row by row: the terminal itself breaks no line, for what it puts on the next row would
 * stand outside the frame, and could look like its end.
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

/** The rows of a line: the first character that does not fit any more begins the next. */
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

/** At most so many: a row that is broken early is no harm. */
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
