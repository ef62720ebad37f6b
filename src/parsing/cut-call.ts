import type { OfferedTools } from './arguments/offered-tool.js';
import { readAction } from './dialects/read-action.js';
import { endsInOpening } from './formats/read-block.js';
import { isCutCall } from './formats/unmarked.js';
import { actionLabels, labelEnds, lastLines } from './intended-calls.js';
import type { ReplyText } from './reply-text.js';
import { lineEnd, skipSpace } from './text/characters.js';
import { skipDecoration } from './text/markdown.js';
import { matchMarker } from './text/markers.js';

/**
 * Returns whether a reply that the output limit cut off ends within a call, or within a label or mark that begins one.
 * Then it is no answer (rule: billed-outcomes).
 */
export function endsInCutCall(reply: ReplyText, tools: OfferedTools): boolean {
  const { cutCall } = reply.outline;
  return cutCall || endsInLabel(reply) || endsInLastLines(reply, tools) || endsInOpenFence(reply, tools);
}

/** Minimum number of letters of a cut `Action` that are taken for a label. */
const MIN_LETTERS = 3;

/** Returns whether the text breaks off within `Action`, `Action: name` or an opening mark such as `<tool_call>`. */
function endsInLabel({ text, end, outline }: ReplyText): boolean {
  const start = text.lastIndexOf('\n', end - 1) + 1;
  if (outline.lastLine === null || outline.lastLine < start) return false;
  const line = text.slice(start, end);
  if (endsInOpening(line)) return true;
  const marker = matchMarker(line, 0);
  if (marker === 'partial') {
    const letters = line
      .replace(/[^a-z ]/gi, '')
      .trim()
      .toLowerCase();
    return letters.length >= MIN_LETTERS && 'action input'.startsWith(letters);
  }
  return marker?.label === 'action' && !/\s/.test(line.slice(marker.end).trim());
}

/** Returns whether a call in the last lines breaks off, after a label or without one, also in a list item. */
function endsInLastLines(reply: ReplyText, tools: OfferedTools): boolean {
  const { text, outline } = reply;
  const { lastItem, lastLine, lastParagraph } = outline;
  const from = lastItem ?? lastParagraph ?? reply.end;
  const to = lastItem === null ? lineEnd(text, lastLine ?? from) : reply.end;
  const labelled = actionLabels(text, from, to).map(({ end }) => readAction(text, end, tools));
  if (labelled.some((reading) => reading?.kind === 'unreadable' && reading.cut)) return true;
  const lines = lastItem === null ? lastLines(reply) : [lastItem];
  const objects = lines.map((line) => text.slice(line, lineEnd(text, line)).indexOf('{') + line);
  const positions = [...lines, ...lines.flatMap((line) => labelEnds(text, line)), ...objects];
  return positions.some((at) => isCutCall(text, skipDecoration(text, at), tools));
}

function endsInOpenFence({ text, outline }: ReplyText, tools: OfferedTools): boolean {
  const { lastFence } = outline;
  return lastFence?.close === null && isCutCall(text, skipSpace(text, lastFence.inside), tools);
}
