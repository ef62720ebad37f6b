import type { OfferedTools } from './arguments/offered-tool.js';
import { readAction } from './dialects/read-action.js';
import type { CallReading, WholeCall } from './dialects/written-call.js';
import { namedCall } from './formats/hinted-name.js';
import { closerEnd } from './formats/marks.js';
import { isHtml, opensBlock, readBlock } from './formats/read-block.js';
import { isWellFormed, readUnmarked } from './formats/unmarked.js';
import type { TextSpan } from './outline/reply-outline.js';
import type { ReplyText } from './reply-text.js';
import { isOneOf, isRestBlank, lineEnd, skipSpace } from './text/characters.js';
import { TO_USER_ALONE } from './text/chat-tokens.js';
import { readJsonValue } from './text/literals.js';
import { matchMarker } from './text/markers.js';
import { ownTagAt } from './text/own-fences.js';
import { Scanner } from './text/scanner.js';
import { skipClosers } from './text/trailing.js';
import { readLastFence, readPlain } from './unmarked-calls.js';

/**
 * Advises a model that probably intended an action, but wrote it where the parser only sees a quotation: in a
 * fence at the end, on a last line of its own, in a list, or after a label that does not start its line or
 * lacks its colon (rule: closing-fence). Returns null if nothing resembles a call.
 */
export function describeIntendedCall(reply: ReplyText, tools: OfferedTools): string | null {
  const fenced = readLastFence(reply, tools);
  if (fenced) return adviceFor(fenced.reading, 'stands in a code fence after other text');
  const last =
    describeLastLine(reply, tools) ?? describeLastItem(reply, tools) ?? describeStepObject(reply, tools);
  const intended = last ?? describeActionList(reply, tools);
  if (intended) return intended;
  const { quotedAction } = reply.outline;
  if (quotedAction) return adviceFor(quotedAction.reading, quotedAction.where);
  return describeFirstCall(reply, tools) ?? describeUnreadForm(reply, tools);
}

function adviceFor({ name }: Pick<WholeCall, 'name'>, where: string): string {
  return `if you meant to act, write the call by itself: the call to \`${name}\` ${where}, so it was taken for an example`;
}

/** Describes a call at the end of the prose: on its last line, or after a label in its last paragraph. */
function describeLastLine(reply: ReplyText, tools: OfferedTools): string | null {
  const { text, outline } = reply;
  if (outline.lastLine === null || outline.lastParagraph === null) return null;
  const start = skipSpace(text, outline.lastLine);
  const plain = readPlain(text, unwrap(text, start), tools);
  const alone = endsReply(plain, reply, tools) ? plain : readLastLines(reply, tools);
  if (alone) return adviceFor(alone, 'stands on a line without a label after other text');
  const tagged = readInTag(reply, openerOf(text, start) ?? start, tools);
  if (tagged) return adviceFor(tagged, 'stands in a tag that is none of ours');
  const translated = readAfterLabel(reply, start, tools);
  if (translated) return adviceFor(translated, 'has a label before it that is not `Action:`');
  const marks = [...text.slice(start, lineEnd(text, start)).matchAll(lineMark)];
  for (const { index } of marks.slice(0, MAX_LABELS)) {
    const marked = readBlock(text, start + index, tools);
    if (endsReply(marked, reply, tools)) return adviceFor(marked, 'has other text before it on its line');
  }
  for (const { end } of actionLabels(text, outline.lastParagraph, lineEnd(text, start))) {
    const labelled = readAction(text, end, tools);
    if (endsReply(labelled, reply, tools))
      return adviceFor(labelled, 'has no `Action:` before it that starts its line');
    const called = readPlain(text, skipVerb(text, end), tools);
    if (endsReply(called, reply, tools)) return adviceFor(called, 'has other words between it and `Action:`');
  }
  return null;
}

/** Matches marks that open a call only at the start of a line: Harmony's header without its tokens, and `functools`. */
const lineMark = /(?:assistant)?(?:commentary|analysis)? ?to=functions\.|functools(?=\[)/g;

/**
 * Reads the call with which the last paragraph ends, also one of several lines: in parentheses, a list of such calls, a
 * name with JSON arguments, or JSON.
 */
function readLastLines(reply: ReplyText, tools: OfferedTools): WholeCall | null {
  const { text, outline } = reply;
  let start = outline.lastLine ?? 0;
  for (let lines = 0; lines < MAX_LINES && start >= (outline.lastParagraph ?? start); lines += 1) {
    const [first, ...more] = readUnmarked(text, skipSpace(text, start), tools).calls;
    const last = more.at(-1) ?? first?.more?.at(-1) ?? first;
    if (first && isWellFormed(first, tools) && endsReply(last ?? null, reply, tools)) return first;
    if (start === 0) return null;
    start = text.lastIndexOf('\n', start - 2) + 1;
  }
  return null;
}

/** Maximum number of lines of the last paragraph at which a call is searched; keeps the work linear. */
const MAX_LINES = 8;

/** Describes a JSON call with which the reply begins and after which other text follows. */
function describeFirstCall(reply: ReplyText, tools: OfferedTools): string | null {
  const start = reply.contentStart();
  if (!isOneOf('{[', reply.text, start) || reply.hasTextBefore(start)) return null;
  const [first] = readUnmarked(reply.text, start, tools).calls;
  const after = first && (first.blockEnd ?? first.end);
  const endsLine = after !== undefined && isRestBlank(reply.text, after, lineEnd(reply.text, after));
  const isCall = first && endsLine && isWellFormed(first, tools) && first.input !== undefined;
  return isCall ? adviceFor(first, 'has other text after it') : null;
}

/** Maximum number of characters at the end of a reply in which a call of no known form is searched. */
const MAX_FORM_LENGTH = 4_000;
const closingTag =
  /<\/(?:tool[-_]\w{1,20}|\w{1,20}_tool|function|invoke|call|action|parameters|arguments|args)>$/;
const jsonName =
  /"(?:name|tool_?[nN]ame|function_?[nN]ame|recipient_name|tool|function)"\s{0,8}:\s{0,8}"(?:functions\.)?([^"\n]{1,200})"/g;
/** Matches in the definition of a tool. */
const toolSchema = /"(?:parameters|input_?[sS]chema)"\s{0,8}:\s{0,8}\{[^{}]{0,400}"properties"\s{0,8}:/;
const jsonArguments = /"(?:args|arguments|input|parameters|params|tool_?[iI]nput)"\s{0,8}:/;

/**
 * Describes a call in no form that can be read: at the end of the reply a closing mark of a native format, or an
 * element named after a tool; or one JSON object that is the whole reply.
 */
function describeUnreadForm(reply: ReplyText, tools: OfferedTools): string | null {
  const { text, end } = reply;
  if (endsInQuotation(reply)) return null;
  const last = text.slice(Math.max(0, end - MAX_FORM_LENGTH), end);
  if (toolSchema.test(last) || last.includes(TO_USER_ALONE)) return null; // What a user is told or shown.
  const name = namedElement(last, tools) ?? (endsInCloser(last) ? namedCall(last, tools) : null);
  const found = name ?? namedInJson(text.slice(reply.contentStart(), end), tools);
  return found === null ? null : adviceFor({ name: found }, 'has a form that cannot be read');
}

/** Whether the last line is quoted, or has one of our own tags, after which all text of the line is quoted. */
function endsInQuotation({ text, end, outline }: ReplyText): boolean {
  const start = outline.lastLine ?? outline.lastItem;
  if (start === null) return true;
  if (outline.lastItem === null && !isOneOf('{[', text, start) && lineEnd(text, start) < end) return true;
  for (let at = Math.max(start, end - MAX_FORM_LENGTH); at < end; at += 1)
    if (isOneOf('<', text, at) && ownTagAt(text, at) !== null) return true;
  return false;
}

function endsInCloser(text: string): boolean {
  for (let at = Math.max(0, text.length - 60); at < text.length; at += 1)
    if (isOneOf('<[]', text, at) && closerEnd(text, at) === text.length) return true;
  return closingTag.test(text);
}

/** Matches the name of an element that begins a line, or that has an element or an object in it. */
const elementOpener = /^[ \t]*<([\w.-]{1,200})(?=[\s/>])|<([\w.-]{1,200})>(?=\s{0,8}[<{])/gm;

/** Returns the tool after which an element at the end of the text is named. */
function namedElement(text: string, tools: OfferedTools): string | null {
  const name = /(?:<\/([\w.-]{1,200})>|\/>)$/.exec(text);
  if (!name) return null;
  const openers = [...text.matchAll(elementOpener)].map(([, first, inLine]) => first ?? inLine ?? '');
  const last = openers.findLast((word) => name[1] === undefined || word === name[1]);
  return last !== undefined && tools.find(last) && !isHtml(last) ? last : null;
}

function namedInJson(text: string, tools: OfferedTools): string | null {
  if (!isOneOf('{[', text, 0) || !jsonArguments.test(text)) return null;
  const scanner = new Scanner(text, 0);
  if (readJsonValue(scanner) === undefined || skipSpace(text, scanner.position) < text.length) return null;
  for (const [, name = ''] of text.matchAll(jsonName)) if (tools.find(name)) return name;
  return null;
}

const tag = /<([A-Za-z_-]{1,30})>\s{0,20}/y;

/** Returns the position of the opening tag that belongs to the closing tag at `position`. */
function openerOf(text: string, position: number): number | null {
  const name = /^<\/([A-Za-z_-]{1,30})>/.exec(text.slice(position, position + 40))?.[1];
  const at = name === undefined ? -1 : text.lastIndexOf(`<${name}>`, position);
  return at < 0 ? null : at;
}

/**
 * Reads the call that is the whole content of an element such as `<action>`, at the end of the
 * reply.
 */
function readInTag({ text, end }: ReplyText, start: number, tools: OfferedTools): WholeCall | null {
  tag.lastIndex = start;
  const opener = tag.exec(text);
  if (!opener || /^(?:pre|code|example|tt|p|div|span|td|li|q)$/i.test(opener[1] ?? '')) return null;
  const reading = readPlain(text, tag.lastIndex, tools);
  if (!isWellFormed(reading, tools)) return null;
  const close = skipSpace(text, reading.end);
  const closer = `</${opener[1]}>`;
  return text.startsWith(closer, close) && skipSpace(text, close + closer.length) >= end ? reading : null;
}

/** Matches a short label of letters at the start of a line, in emphasis or not. */
const lineLabel = /[#* \t]{0,8}(\p{L}[\p{L}\p{M} _-]{0,30})\*{0,2}[ \t]{0,4}[:：]\*{0,2}[ \t]{0,4}/uy;
/** Matches a label of letters anywhere in a line. `labelEnds` keeps only labels that do not begin with A–Z. */
const otherScriptLabel = /[\p{L}\p{M}]{1,20}[ \t]{0,4}[:：][ \t]{0,4}/gu;
/** Matches labels with which an explanation introduces a call. */
const explains =
  /\b(?:examples?|e g|usage|use|uses|using|syntax|formats?|signatures?|try|tried|like|this|note|answer|returns?|results?|output)$/i;

/**
 * Reads the call directly after a label that the prompt does not use, such as `Tool call:` (rule:
 * closing-fence).
 */
function readAfterLabel(reply: ReplyText, start: number, tools: OfferedTools): WholeCall | null {
  const { text } = reply;
  for (const end of labelEnds(text, start)) {
    const reading = readPlain(text, unwrap(text, end), tools);
    if (endsReply(reading, reply, tools)) return reading;
  }
  return null;
}

function labelEnds(text: string, start: number): number[] {
  lineLabel.lastIndex = start;
  const first = lineLabel.exec(text);
  const ends = first && !explains.test(first[1] ?? '') ? [lineLabel.lastIndex] : [];
  for (const { 0: label, index } of text.slice(start, lineEnd(text, start)).matchAll(otherScriptLabel)) {
    if (ends.length >= MAX_LABELS) break;
    if (/^[^a-z]/i.test(label)) ends.push(start + index + label.length);
  }
  return ends;
}

/** Matches words before a call that announce it: `Call f()`, `I will use the tool f()`. */
const announcement =
  /[ \t]{0,8}(?:(?:I will|I['’]ll|I|let me|please|now) ){0,2}(?:(?:call(?:ing)?|us(?:e|ing)|invok(?:e|ing)|run(?:ning)?|execut(?:e|ing)|tool_code|python)[ \t]{1,8})?(?:the )?(?:tool |function )?:?[ \t]{0,8}/iy;

/** Skips words that announce a call, after a label. */
function skipVerb(text: string, position: number): number {
  announcement.lastIndex = position;
  const words = announcement.exec(text);
  return words ? unwrap(text, position + words[0].length) : position;
}

/**
 * Describes a step object (the form that the prompt asks for with `protocol: "json"`) that has a sentence beside
 * it.
 */
function describeStepObject(reply: ReplyText, tools: OfferedTools): string | null {
  const { text, outline } = reply;
  const { lastValue, lastLine } = outline;
  const inLine = lastLine === null ? -1 : text.indexOf('{', lastLine);
  for (const at of [lastValue, inLine >= 0 && inLine < lineEnd(text, lastLine ?? 0) ? inLine : null]) {
    if (at === null || isOneOf('`', text, at - 1)) continue;
    const reading = readPlain(text, at, tools);
    if (isWellFormed(reading, tools) && (reading.isStepObject === true || endsReply(reading, reply, tools)))
      return adviceFor(reading, 'has other text beside it');
  }
  return null;
}

const actionList = /"actions"\s{0,8}:\s{0,8}(?=\[)/g;

/**
 * Describes the first call of an object `{"actions": […]}` that ends the reply; no dialect has such
 * a list.
 */
function describeActionList({ text, end, outline }: ReplyText, tools: OfferedTools): string | null {
  if (outline.lastValue === null) return null;
  actionList.lastIndex = outline.lastValue;
  if (!actionList.test(text)) return null;
  const reading = readPlain(text, actionList.lastIndex, tools);
  if (!isWellFormed(reading, tools)) return null;
  const rest = text.slice(reading.end, end).trim();
  return /^\}(?:\s*```)?$/.test(rest) ? adviceFor(reading, 'stands in a list `actions`') : null;
}

/** Describes a call in the last list item, after a label with which the item begins or in a native format. */
function describeLastItem(reply: ReplyText, tools: OfferedTools): string | null {
  const { text, outline } = reply;
  if (outline.lastItem === null) return null;
  const start = unwrap(text, outline.lastItem);
  const label = actionLabels(text, start, lineEnd(text, start))[0];
  const labelled = label?.start === start ? readAction(text, label.end, tools) : null;
  const reading = labelled ?? blockIn(text, [start, lineEnd(text, start)], tools);
  return endsReply(reading, reply, tools) ? adviceFor(reading, 'stands in a list') : null;
}

/** Reads the first block of a native format that begins between `from` and `to`. */
function blockIn(text: string, [from, to]: TextSpan, tools: OfferedTools): CallReading | null {
  for (let at = from; at < to; at += 1) {
    if (opensBlock(text, at)) return readBlock(text, at, tools, { startsLine: false });
  }
  return null;
}

/**
 * Whether a call is well-formed and ends the reply. Only characters that close something around it, chat tokens or an
 * invented observation may follow.
 */
function endsReply(
  reading: CallReading | null,
  { text, end }: ReplyText,
  tools: OfferedTools,
): reading is WholeCall {
  if (!isWellFormed(reading, tools)) return false;
  const callEnd = reading.blockEnd ?? reading.end;
  const closed = isOneOf(').', text, callEnd) ? callEnd + 1 : callEnd; // Of `Action(f())`, or of a sentence.
  const next = skipSpace(text, skipClosers(text, closed));
  if (next >= end) return true;
  const marker = matchMarker(text, text.lastIndexOf('\n', next) + 1);
  return marker !== null && marker !== 'partial' && marker.label === 'observation';
}

/** Skips the backtick or `**` before a call. */
function unwrap(text: string, position: number): number {
  if (text.startsWith('**', position)) return position + 2;
  return isOneOf('`', text, position) ? position + 1 : position;
}

const actionLabel =
  /(?<![a-z0-9-])Action(?![a-z0-9])[*_\]>]{0,2}[ \t]{0,4}(?:#\d{1,3}|\(\d{1,3}\))?(?:->|=>|[→:：–—=(-])?[*_]{0,2}/gi;
/** Maximum number of labels that are tried in a paragraph; keeps the work linear. */
const MAX_LABELS = 8;

/** Finds `Action:`, `Action -`, `Action(` or the word `action` anywhere in a part of a text. */
function actionLabels(text: string, from: number, to: number): { start: number; end: number }[] {
  const labels: { start: number; end: number }[] = [];
  for (const { 0: label, index } of text.slice(from, to).matchAll(actionLabel)) {
    if (labels.length >= MAX_LABELS) break;
    labels.push({ start: from + index, end: from + index + label.length });
  }
  return labels;
}
