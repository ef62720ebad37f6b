import type { OfferedTools } from './arguments/offered-tool.js';
import { readAction } from './dialects/read-action.js';
import type { CallReading, WholeCall } from './dialects/written-call.js';
import type { ReplyText } from './reply-text.js';
import { isOneOf, lineEnd, skipSpace } from './text/characters.js';
import { matchMarker } from './text/markers.js';
import { skipClosers } from './text/trailing.js';
import { isWellFormed, readLastFence, readPlain } from './unmarked-calls.js';

/**
 * Advises a model that probably intended an action, but wrote it where the parser only sees a quotation: in a
 * fence at the end, on a last line of its own, in a list, or after a label that does not start its line or
 * lacks its colon (rule: closing-fence). Returns null if nothing resembles a call.
 */
export function describeIntendedCall(reply: ReplyText, tools: OfferedTools): string | null {
  const fenced = readLastFence(reply, tools);
  if (fenced) return adviceFor(fenced.reading, 'stands in a code fence after other text');
  const last = describeLastLine(reply, tools) ?? describeLastItem(reply, tools);
  if (last) return last;
  const { quotedAction } = reply.outline;
  return quotedAction && adviceFor(quotedAction, 'stands in a quotation that is not closed');
}

function adviceFor({ name }: WholeCall, where: string): string {
  return `if you meant to act, write the call by itself: the call to \`${name}\` ${where}, so it was taken for an example`;
}

/** Describes a call that ends the prose: on its last line, or after a label in its last paragraph. */
function describeLastLine(reply: ReplyText, tools: OfferedTools): string | null {
  const { text, outline } = reply;
  if (outline.lastLine === null || outline.lastParagraph === null) return null;
  const start = skipSpace(text, outline.lastLine);
  const alone = readPlain(text, unwrap(text, start), tools);
  if (endsReply(alone, reply, tools))
    return adviceFor(alone, 'stands on a line without a label after other text');
  for (const { end } of actionLabels(text, outline.lastParagraph, lineEnd(text, start))) {
    const labelled = readAction(text, end, tools);
    if (endsReply(labelled, reply, tools))
      return adviceFor(labelled, 'has no `Action:` before it that starts its line');
  }
  return null;
}

/** Describes a call after a label that begins the last list item. */
function describeLastItem(reply: ReplyText, tools: OfferedTools): string | null {
  const { text, outline } = reply;
  if (outline.lastItem === null) return null;
  const start = unwrap(text, outline.lastItem);
  const label = actionLabels(text, start, lineEnd(text, start))[0];
  const labelled = label?.start === start ? readAction(text, label.end, tools) : null;
  return endsReply(labelled, reply, tools) ? adviceFor(labelled, 'stands in a list') : null;
}

/** Whether a call is well-formed and only closing marks or an invented observation follow. */
function endsReply(
  reading: CallReading | null,
  { text, end }: ReplyText,
  tools: OfferedTools,
): reading is WholeCall {
  if (!isWellFormed(reading, tools)) return false;
  const closed = isOneOf(')', text, reading.end) ? reading.end + 1 : reading.end; // In `Action(f())`, another parenthesis follows.
  const next = skipSpace(text, skipClosers(text, closed));
  if (next >= end) return true;
  const marker = matchMarker(text, text.lastIndexOf('\n', next) + 1);
  return marker !== null && marker !== 'partial' && marker.label === 'observation';
}

/** Skips the opening mark of inline code or emphasis. */
function unwrap(text: string, position: number): number {
  if (text.startsWith('**', position)) return position + 2;
  return isOneOf('`', text, position) ? position + 1 : position;
}

const actionLabel = /(?<![\w-])Action(?!\w)\*{0,2}[ \t]{0,4}(?:->|=>|[:：–—=(-])?\*{0,2}/gi;
/** Maximum number of labels that are tried in a paragraph; keeps the work linear. */
const MAX_LABELS = 8;

/** Finds `Action:`, `Action -`, `Action(` or `action` alone anywhere in a part of a text. */
function actionLabels(text: string, from: number, to: number): { start: number; end: number }[] {
  const labels: { start: number; end: number }[] = [];
  for (const { 0: label, index } of text.slice(from, to).matchAll(actionLabel)) {
    if (labels.length >= MAX_LABELS) break;
    labels.push({ start: from + index, end: from + index + label.length });
  }
  return labels;
}
