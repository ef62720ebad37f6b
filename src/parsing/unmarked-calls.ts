import type { OfferedTools } from './arguments/offered-tool.js';
import { readBracket } from './dialects/bracket.js';
import { readCall } from './dialects/call.js';
import { readJsonCall } from './dialects/json-object.js';
import { readAction } from './dialects/read-action.js';
import { type CallReading, isNative, type WholeCall } from './dialects/written-call.js';
import { hintedName } from './formats/hinted-name.js';
import { readPythonCalls } from './formats/python-calls.js';
import { readBlock } from './formats/read-block.js';
import { isWellFormed, readUnmarked } from './formats/unmarked.js';
import type { QuotedFence } from './outline/reply-outline.js';
import { ReplyText } from './reply-text.js';
import { isAnswerCall } from './resolve-call.js';
import { isRestBlank, skipBlanks, skipLanguage, skipRun, skipSpace } from './text/characters.js';
import { beginsTurn, readTokens } from './text/chat-tokens.js';
import { matchMarker } from './text/markers.js';
import { withoutMarks } from './text/reasoning-marks.js';
import { skipClosers } from './text/trailing.js';

/** Reads a reply that consists only of calls without a label or tags (rules: bare-call, step-object). */
export function readBareCall(reply: ReplyText, tools: OfferedTools): CallReading | null {
  if (reply.outline.thoughts.length > 0) return null;
  const text = reply.text.slice(0, reply.contentEnd()).trimEnd();
  const start = reply.contentStart();
  if (reply.hasTextBefore(start)) return null; // Words precede the reasoning, so the call is an example.
  const { calls } = readUnmarked(text, start, tools);
  const [reading, ...others] = calls;
  const isWhole = reading !== undefined && (isWellFormed(reading, tools) || speaksForItself(reading, tools));
  const further = [...others, ...calls.flatMap(({ more = [] }) => more)];
  if (!isWhole || !further.every((each) => isWellFormed(each, tools))) return null;
  const lastCall = calls.at(-1) ?? reading;
  const last = lastCall.blockEnd ?? lastCall.end;
  const end = text.charAt(last) === ';' ? last + 1 : last;
  if (end < text.length && !endsItsTurn(text, end)) return null;
  const keepsDialect = reading.dialect !== 'call' && reading.dialect !== 'bracket';
  if (calls.length === 1) return keepsDialect ? reading : { ...reading, dialect: 'bare' };
  const dialect = keepsDialect ? reading.dialect : 'python';
  const more = others.flatMap((each) => [each, ...(each.more ?? [])]);
  return { ...reading, dialect, more: [...(reading.more ?? []), ...more], blockEnd: last };
}

/** Reads a broken or cut-off call of an offered tool without a label or tags. */
export function readBrokenCall(reply: ReplyText, tools: OfferedTools): CallReading | null {
  const start = reply.contentStart();
  if (reply.outline.thoughts.length > 0 || reply.hasTextBefore(start)) return null;
  const { calls, broken } = readUnmarked(reply.text.slice(0, reply.contentEnd()), start, tools);
  // In prose or code, other text than JSON is a call only if the reply ends within it.
  if (broken === null || !(broken.cut || broken.dialect === 'json')) return null;
  const last = calls.at(-1);
  const name = broken.name ?? hintedName(reply.text, last ? skipSpace(reply.text, last.end) : start, tools);
  return { ...broken, name };
}

/**
 * Reports a complete call in a native format at the end of reasoning that is never closed, if the reply has no other
 * text. The call never runs, since the model may only have considered it (rule: thinking).
 */
export function readUnclosedReasoning(reply: ReplyText, tools: OfferedTools): CallReading | null {
  const { text, outline } = reply;
  const [from, to] = outline.reasoning.at(-1) ?? [0, 0];
  if (to < reply.end || outline.turn.kind !== 'none' || reply.whole().length > 0) return null;
  const inside = withoutMarks(text.slice(from, to));
  const { turn } = ReplyText.read(inside, tools).outline;
  if (turn.kind !== 'action' || turn.reading.kind !== 'call') return null;
  const { name, dialect, blockEnd, end } = turn.reading;
  const endsText = skipSpace(inside, skipClosers(inside, blockEnd ?? end)) >= inside.length;
  if (!tools.find(name) || !endsText || !isNative(dialect)) return null;
  const problem = `${name}: the call stands in reasoning that is not closed, so it was not run`;
  return { kind: 'unreadable', dialect, name, problem, cut: false };
}

/** Reads a call in a syntax that can be recognised without a label or tags. */
export function readPlain(text: string, start: number, tools: OfferedTools): CallReading | null {
  return readCall(text, start, tools) ?? readBracket(text, start, tools) ?? readJsonCall(text, start, tools);
}

/** Whether only chat tokens follow, up to the end of the text or to another role's turn that the model made up. */
function endsItsTurn(text: string, position: number): boolean {
  const { end } = readTokens(text, position);
  return end > position && (end >= text.length || beginsTurn(text, position, end));
}

/**
 * Whether a JSON object shows by its keys what it is: an answer, or the form that the prompt asks for with `protocol:
 * "json"` (rule: step-object).
 */
function speaksForItself(reading: CallReading | null, tools: OfferedTools): reading is WholeCall {
  if (reading?.kind !== 'call' || reading.dialect !== 'json') return false;
  return reading.isStepObject === true || isAnswerCall(reading, tools);
}

/**
 * Returns the call in a fence that ends the reply and holds nothing else. The call must have a label or tag, and all
 * text before it must be a labelled thought (rule: closing-fence); or it must be a JSON object that shows by its keys
 * what it is.
 */
export function readClosingFence(
  reply: ReplyText,
  tools: OfferedTools,
): { at: number; reading: WholeCall } | null {
  const held = readLastFence(reply, tools);
  if (!held) return null;
  const { fence, reading, isMarked } = held;
  const isIntended = isMarked && !fence.hasInfo && fence.close !== null && reply.leadingThought() !== null;
  if (!isIntended && !speaksForItself(reading, tools)) return null;
  return { at: fence.start, reading: { ...reading, repairs: [...reading.repairs, 'closing_fence'] } };
}

/**
 * Returns the last fence of the reply, if nothing follows it. Its opening line has at most a language after the
 * backticks, or, with `hasInfo`, a language and other words, as in "```json title=x".
 */
function closingFence({ text, end, outline }: ReplyText): (QuotedFence & { hasInfo: boolean }) | null {
  const fence = outline.lastFence;
  if (!fence || skipSpace(text, fence.close ? fence.close[1] : end) < end) return null;
  const marks = skipBlanks(text, fence.start);
  const language = skipRun(text, marks, text.charAt(marks));
  const hasInfo = !isRestBlank(text, skipLanguage(text, language), fence.inside - 1);
  return !hasInfo || /^[a-z]{1,20}[ \t]/.test(text.slice(language, fence.inside))
    ? { ...fence, hasInfo }
    : null;
}

/** A call in the code fence that ends a reply. */
interface FencedCall {
  readonly fence: QuotedFence & { readonly hasInfo: boolean };
  readonly reading: WholeCall;
  readonly isMarked: boolean;
}

/**
 * Reads the call that is the whole content of the fence that ends the reply. It may have a label, be in tags, or have
 * neither.
 */
export function readLastFence(reply: ReplyText, tools: OfferedTools): FencedCall | null {
  const fence = closingFence(reply);
  if (!fence) return null;
  const text = reply.text.slice(0, fence.close?.[0] ?? reply.end);
  const start = skipSpace(text, fence.inside);
  const marker = matchMarker(text, text.lastIndexOf('\n', start) + 1);
  const isAction = marker !== null && marker !== 'partial' && marker.label === 'action';
  const marked = isAction ? readAction(text, marker.end, tools) : readBlock(text, start, tools);
  const printed = text.startsWith('print(', start) ? readPythonCalls(text, start, tools) : null;
  const [unmarked] = readUnmarked(text, start, tools).calls;
  const reading = marked ?? printed ?? unmarked ?? readPlain(text, start, tools);
  if (reading?.kind !== 'call' || !(tools.find(reading.name) || speaksForItself(reading, tools))) return null;
  const isAlone = skipSpace(text, skipClosers(text, reading.blockEnd ?? reading.end)) >= text.length;
  return isAlone ? { fence, reading, isMarked: marked !== null } : null;
}
