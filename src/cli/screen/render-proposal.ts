import { renderCall } from '../../conversation/call-text.js';
import type { ApprovalRequest } from '../../sdk/actions/approval.js';
import { sanitize, sanitizeLine } from './sanitize.js';
import type { Terminal } from './terminal.js';

interface ProposalView extends Pick<Terminal, 'paint' | 'width'> {
  /** Lines to show; the rest is counted. */
  readonly maxLines: number;
}

/** What an action would do, in a frame: its diff or command where the tool can tell, else the call. */
export function renderProposal(
  { action, preview }: ApprovalRequest,
  { paint, width, maxLines }: ProposalView,
): readonly string[] {
  const title = `${sanitizeLine(action.tool_name)} needs your approval`;
  const edge = '─'.repeat(Math.max(0, Math.min(width, 80) - title.length - 5));
  const lines = proposalLines({ action, preview });
  const side = paint('yellow', '│');
  const more = lines.length - maxLines;
  return [
    `${paint('yellow', '╭─')} ${paint('bold', title)} ${paint('yellow', edge)}`,
    ...lines.slice(0, maxLines).map((line) => `${side} ${paintDiff(paint, line)}`),
    ...(more > 0 ? [`${side} ${paint('dim', `… ${more} more lines`)}`] : []),
    paint('yellow', '╰─'),
  ];
}

/** The text of a proposal, line by line. */
export function proposalLines({ action, preview }: Pick<ApprovalRequest, 'action' | 'preview'>): string[] {
  const text = preview ?? renderCall(action.tool_name, action.tool_args);
  return sanitize(text).trimEnd().split('\n');
}

function paintDiff(paint: Terminal['paint'], line: string): string {
  if (line.startsWith('+')) return paint('green', line);
  return line.startsWith('-') ? paint('red', line) : line;
}
