import type { OfferedTools } from './arguments/offered-tool.js';
import { readBracket } from './dialects/bracket.js';
import { readCall } from './dialects/call.js';
import { readJsonCall } from './dialects/json-object.js';
import { readAction } from './dialects/read-action.js';
import { readTag } from './dialects/tags.js';
import type { CallReading, WholeCall } from './dialects/written-call.js';
import type { QuotedFence } from './outline-reply.js';
import type { ReplyText } from './reply-text.js';
import { isOneOf, isRestBlank, skipBlanks, skipLanguage, skipRun, skipSpace } from './text/characters.js';
import { beginsTurn, skipChatTokens } from './text/chat-tokens.js';
import { matchMarker } from './text/markers.js';
import { skipClosers } from './text/trailing.js';

/** A call without any marker that is the whole text, names an offered tool and needs no repair (rule: bare-call). */
export function readBareCall(reply: ReplyText, tools: OfferedTools): CallReading | null {
  if (reply.outline.thoughts.length > 0) return null;
  const text = reply.text.slice(0, reply.contentEnd()).trimEnd();
  const start = reply.contentStart();
  if (reply.thoughtBefore(start) !== '') return null; // reasoning stands between words and the call
  const reading =
    readCall(text, start, tools) ?? readBracket(text, start, tools) ?? readJsonCall(text, start);
  if (!isWellFormed(reading, tools)) return null;
  const end = text.charAt(reading.end) === ';' ? reading.end + 1 : reading.end;
  if (end < text.length && !endsItsTurn(text, end)) return null;
  return reading.dialect === 'json' ? reading : { ...reading, dialect: 'bare' };
}

/** More blanks than these are not waited for. */
const MOST_BLANKS = 16;

/**
 * Whether such a call may begin at `position` of a text that is still arriving; `'partial'` while too little of it is
 * there to tell.
 */
export function mayBeginBareCall(text: string, position: number, tools: OfferedTools): boolean | 'partial' {
  if (tools.areUnknown) return false;
  const start = skipBlanks(text, position);
  if (text.charAt(start) === '{') return true;
  if (text.charAt(start) === '[') {
    const inside = skipSpace(text, start + 1);
    if (inside - start > MOST_BLANKS) return true;
    return inside >= text.length ? 'partial' : isOneOf('{[', text, inside);
  }
  if (tools.mayGoOnToName(text, start)) return 'partial';
  const end = tools.nameEnd(text, start);
  if (!tools.find(text.slice(start, end))) return false;
  const open = skipBlanks(text, end);
  if (open - end > MOST_BLANKS) return true;
  if (open >= text.length) return 'partial';
  return text.charAt(open) === '(' || text.charAt(end) === '[';
}

/** Chat tokens follow, and then the turn of somebody else, which the model only imagined. */
function endsItsTurn(text: string, position: number): boolean {
  const end = skipChatTokens(text, position);
  return end > position && (end >= text.length || beginsTurn(text, position, end));
}

function isWellFormed(reading: CallReading | null, tools: OfferedTools): reading is WholeCall {
  return reading?.kind === 'call' && tools.find(reading.name) !== undefined && reading.repairs.length === 0;
}

/**
 * The action in a fence that ends the reply, where all the text before it is a labelled thought and the fence
 * holds nothing else: one labelled action or one tag (rule: closing-fence).
 */
export function readClosingFence(
  reply: ReplyText,
  tools: OfferedTools,
): { at: number; reading: WholeCall } | null {
  const fence = closingFence(reply);
  if (!fence?.close || !reply.leadingThought()) return null;
  const reading = readFence(fence, reply, { tools, jsonCounts: false });
  if (!reading) return null;
  return { at: fence.start, reading: { ...reading, repairs: [...reading.repairs, 'closing_fence'] } };
}

/** The last fence of the reply if nothing follows it, and nothing but a language stands beside its opening marks. */
function closingFence({ text, end, outline }: ReplyText): QuotedFence | null {
  const fence = outline.lastFence;
  if (!fence || skipSpace(text, fence.close ? fence.close[1] : end) < end) return null;
  const marks = skipBlanks(text, fence.start);
  const language = skipRun(text, marks, text.charAt(marks));
  return isRestBlank(text, skipLanguage(text, language), fence.inside - 1) ? fence : null;
}

/** The one call to an offered tool that a fence holds: a labelled action or a tag, or else plain JSON if that counts. */
function readFence(
  fence: QuotedFence,
  reply: ReplyText,
  { tools, jsonCounts }: { tools: OfferedTools; jsonCounts: boolean },
): WholeCall | null {
  const text = reply.text.slice(0, fence.close?.[0] ?? reply.end);
  const start = skipSpace(text, fence.inside);
  const marker = matchMarker(text, text.lastIndexOf('\n', start) + 1);
  const isAction = marker !== null && marker !== 'partial' && marker.label === 'action';
  const marked = isAction ? readAction(text, marker.end, tools) : readTag(text, start, tools);
  const reading = marked ?? (jsonCounts ? readJsonCall(text, start) : null);
  if (reading?.kind !== 'call' || !tools.find(reading.name)) return null;
  return skipSpace(text, skipClosers(text, reading.end)) >= text.length ? reading : null;
}

/**
 * Words for a model that seems to have meant an action but wrote it where a call is only shown: in a fence at
 * the end, or on a last line of its own after prose (rule: closing-fence). Null where nothing looks like one.
 */
export function describeMeantCall(reply: ReplyText, tools: OfferedTools): string | null {
  const fence = closingFence(reply);
  const fenced = fence && readFence(fence, reply, { tools, jsonCounts: true });
  if (fenced) return meant(fenced, 'stands in a code fence');
  const last = readLastLine(reply, tools);
  return last && meant(last, 'stands on a line without a label');
}

function meant({ name }: WholeCall, where: string): string {
  return `if you meant to act, write the call by itself: the call to \`${name}\` ${where} after other text, so it was taken for an example`;
}

function readLastLine({ text, end, outline }: ReplyText, tools: OfferedTools): WholeCall | null {
  if (outline.lastLine === null) return null;
  const start = skipSpace(text, outline.lastLine);
  const reading = readCall(text, start, tools) ?? readJsonCall(text, start);
  return isWellFormed(reading, tools) && skipClosers(text, reading.end) >= end ? reading : null;
}
