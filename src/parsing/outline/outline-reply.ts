import type { OfferedTools } from '../arguments/offered-tool.js';
import type { WholeCall } from '../dialects/written-call.js';
import { opensOtherTurn, readTokens } from '../text/chat-tokens.js';
import { nextThinkClose, nextThinkOpen } from '../text/inline-marks.js';
import { OutlineWalk } from './outline-walk.js';
import { Findings, type ReplyOutline, type TurningPoint } from './reply-outline.js';

/**
 * Walks over a reply once, line by line, up to its turning point. Reasoning that is closed but was never
 * opened (some servers eat the opening tag) starts the walk anew after it, at most once (rule: thinking).
 */
export function outlineReply(text: string, tools: OfferedTools): ReplyOutline {
  const { end: edge, turn } = readTokens(text, 0, opensOtherTurn);
  if (turn !== null) {
    const imagined = new Findings(0);
    imagined.otherTurn = 0;
    return imagined;
  }
  const first = new OutlineWalk(text, edge, tools);
  const end = first.run() ?? reasoningEndAfter(text, first.found.turn);
  const walk = end === null ? first : new OutlineWalk(text, end, tools, { orphanCloseCounts: false });
  if (end !== null) walk.run();
  const { found } = walk;
  found.edge = edge;
  found.quotedAction = quotedAction(walk, text, tools);
  return found;
}

function quotedAction({ openQuotation }: OutlineWalk, text: string, tools: OfferedTools): WholeCall | null {
  if (openQuotation === null) return null;
  const inside = new OutlineWalk(text, openQuotation, tools, { orphanCloseCounts: false });
  inside.run();
  const { turn } = inside.found;
  const reading = turn.kind === 'action' ? turn.reading : null;
  return reading?.kind === 'call' && tools.find(reading.name) ? reading : null;
}

/** After a `</think>` that closes what was read as an action; what follows a final answer is all answer. */
function reasoningEndAfter(text: string, turn: TurningPoint): number | null {
  if (turn.kind !== 'action') return null;
  const from = turn.reading.kind === 'call' ? turn.reading.end : turn.at;
  const close = nextThinkClose(text, from);
  if (!close || text.charAt(close[0] - 1) === '`') return null;
  const open = nextThinkOpen(text, from);
  return open && open[0] < close[0] ? null : close[1];
}
