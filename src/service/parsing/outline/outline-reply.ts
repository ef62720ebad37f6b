import type { OfferedTools } from '../arguments/offered-tool.js';
import type { WholeCall } from '../dialects/written-call.js';
import type { Sliced } from '../slices.js';
import { opensOtherTurn, readTokens } from '../text/chat-tokens.js';
import { nextThinkClose, nextThinkOpen } from '../text/inline-marks.js';
import { OutlineWalk } from './outline-walk.js';
import type { ReplyOutline, TurningPoint } from './reply-outline.js';

/**
 * Walks over a reply once, line by line, up to its turning point. Reasoning that is closed but was never
 * opened (some servers eat the opening tag) starts the walk anew after it, at most once (rule: thinking).
 */
export function* outlineReply(text: string, tools: OfferedTools): Sliced<ReplyOutline> {
  const { end: edge, turn } = yield* readTokens(text, 0, opensOtherTurn);
  const first = new OutlineWalk(text, edge, tools);
  if (turn !== null) return { edge: 0, quotedAction: null, ...first.outline(), otherTurn: 0, start: 0 };
  const end = (yield* first.run()) ?? reasoningEndAfter(text, first.turn);
  if (end === null)
    return { edge, quotedAction: yield* quotedAction(first, text, tools), ...first.outline() };
  const second = new OutlineWalk(text, end, tools, { orphanCloseCounts: false });
  yield* second.run();
  return { edge, quotedAction: yield* quotedAction(second, text, tools), ...second.outline() };
}

function* quotedAction(
  { openQuotation }: OutlineWalk,
  text: string,
  tools: OfferedTools,
): Sliced<WholeCall | null> {
  if (openQuotation === null) return null;
  const inside = new OutlineWalk(text, openQuotation, tools, { orphanCloseCounts: false });
  yield* inside.run();
  const reading = inside.turn.kind === 'action' ? inside.turn.reading : null;
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
