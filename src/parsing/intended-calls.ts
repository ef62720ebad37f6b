import type { OfferedTools } from './arguments/offered-tool.js';
import { INPUT_LABEL } from './dialects/action-input.js';
import { holdsArguments } from './dialects/json-object.js';
import { readAction } from './dialects/read-action.js';
import type { CallReading, WholeCall } from './dialects/written-call.js';
import { callEndsReply, type EndingCall, endingCallAt, endsReplyAt } from './ending-call.js';
import { namedCall } from './formats/hinted-name.js';
import { closerEnd } from './formats/marks.js';
import { isHtml, opensBlock, readBlock } from './formats/read-block.js';
import { isWellFormed, readUnmarked } from './formats/unmarked.js';
import type { TextSpan } from './outline/reply-outline.js';
import type { ReplyText } from './reply-text.js';
import { isOneOf, isRestBlank, lineEnd, skipLanguage, skipSpace } from './text/characters.js';
import { TO_USER_ALONE } from './text/chat-tokens.js';
import { readJsonValue, readValue } from './text/literals.js';
import { skipDecoration } from './text/markdown.js';
import { matchMarker } from './text/markers.js';
import { ownTagAt } from './text/own-fences.js';
import { isJsonObject, Scanner } from './text/scanner.js';
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
  const intended = last ?? describeActionList(reply, tools) ?? describeLabelPair(reply, tools);
  if (intended) return intended;
  const { quotedAction } = reply.outline;
  if (quotedAction) return adviceFor(quotedAction.reading, quotedAction.where);
  return describeFirstCall(reply, tools) ?? describeUnreadForm(reply, tools);
}

function adviceFor({ name }: Pick<WholeCall, 'name'>, where: string): string {
  return `if you meant to act, write the call by itself: the call to \`${name}\` ${where}, so it was taken for an example`;
}

const UNREAD_FORM = 'has a form that cannot be read';

/** Describes a call at the end of the prose: on its last lines, or after a label in its last paragraph. */
function describeLastLine(reply: ReplyText, tools: OfferedTools): string | null {
  const { text, outline } = reply;
  if (outline.lastLine === null || outline.lastParagraph === null) return null;
  const start = skipSpace(text, outline.lastLine);
  const lines = lastLines(reply);
  const alone = firstOf(
    lines.flatMap((line) => [line, skipDecoration(text, line)]),
    reply,
    tools,
  );
  if (alone && !reply.hasTextBefore(alone.at)) return adviceFor(alone, UNREAD_FORM);
  if (alone) return adviceFor(alone, 'stands on a line without a label after other text');
  const tagged = readInTag(reply, openerOf(text, start) ?? start, tools);
  if (tagged) return adviceFor(tagged, 'stands in a tag that is none of ours');
  const labels = lines.flatMap((line) => labelEnds(text, line));
  const translated = firstOf(
    labels.map((end) => skipDecoration(text, end)),
    reply,
    tools,
  );
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
    const called = firstOf([skipVerb(text, end)], reply, tools);
    if (called) return adviceFor(called, 'has other words between it and `Action:`');
  }
  const named = firstOf(namesAfterAction(reply, tools), reply, tools);
  if (named) return adviceFor(named, 'has other words between it and `Action:`');
  const announced = firstOf(announcements(text, start), reply, tools);
  return announced && adviceFor(announced, 'stands in a sentence');
}

/** Returns the call at the first of the given positions at which a call begins that ends the reply. */
function firstOf(
  positions: readonly number[],
  reply: ReplyText,
  tools: OfferedTools,
): (EndingCall & { readonly at: number }) | null {
  for (const at of positions) {
    const call = endingCallAt(reply, at, tools);
    if (call) return { name: call.name, at };
  }
  return null;
}

/** Matches marks that open a call only at the start of a line: Harmony's header without its tokens, and `functools`. */
const lineMark = /(?:assistant)?(?:commentary|analysis)? ?to=functions\.|functools(?=\[)/g;

/** Returns the starts of the last lines of the last paragraph, in order. */
export function lastLines({ text, outline }: ReplyText): number[] {
  const starts: number[] = [];
  let start = outline.lastLine ?? 0;
  while (starts.length < MAX_LINES && start >= (outline.lastParagraph ?? start)) {
    starts.unshift(skipSpace(text, start));
    if (start === 0) break;
    start = text.lastIndexOf('\n', start - 2) + 1;
  }
  return starts;
}

/** Maximum number of lines of the last paragraph at which a call is searched; keeps the work linear. */
const MAX_LINES = 8;

/** Describes a call with which the reply begins and after which other text follows. */
function describeFirstCall(reply: ReplyText, tools: OfferedTools): string | null {
  const { text } = reply;
  const start = reply.contentStart();
  if (reply.hasTextBefore(start)) return null;
  const [first] = readUnmarked(text, start, tools).calls;
  const after = first && skipClosers(text, first.blockEnd ?? first.end);
  const endsLine = after !== undefined && isRestBlank(text, after, lineEnd(text, after));
  return first && endsLine && isWellFormed(first, tools) ? adviceFor(first, 'has other text after it') : null;
}

/** Maximum number of characters at the end of a reply in which a call of no known form is searched. */
const MAX_FORM_LENGTH = 4_000;
const closingTag =
  /<\/(?:tool[-_]\w{1,20}|\w{1,20}_tool|function|invoke|call|action|parameters|arguments|args)>$/;
const jsonName =
  /"(?:name|tool_?[nN]ame|function_?[nN]ame|recipient_name|tool|function)"\s{0,8}:\s{0,8}"(?:functions\.)?([^"\n]{1,200})"/g;
/** Matches in the definition of a tool. */
const toolSchema = /"(?:parameters|input_?[sS]chema)"\s{0,8}:\s{0,8}\{[^{}]{0,400}"properties"\s{0,8}:/;
/** Matches a name with its arguments as one text: `"action": "read(path)"`. */
const calledInJson = /"(?:action|tool|function|name)"\s{0,8}:\s{0,8}"([\w.-]{1,200})\(/;
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
  return found === null ? null : adviceFor({ name: found }, UNREAD_FORM);
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
  if (!isOneOf('{[', text, 0)) return null;
  const scanner = new Scanner(text, 0);
  const value = readJsonValue(scanner);
  if (value === undefined || skipSpace(text, scanner.position) < text.length) return null;
  const [name, ...others] = isJsonObject(value) ? Object.keys(value) : [];
  const isKeyed = [name, ...others].every(
    (key = '') => tools.find(key) && isJsonObject(value) && isJsonObject(value[key]),
  );
  if (name !== undefined && isKeyed) return name;
  const [, called = ''] = calledInJson.exec(text) ?? [];
  if (tools.find(called)) return called;
  if (!jsonArguments.test(text)) return null;
  for (const [, named = ''] of text.matchAll(jsonName)) if (tools.find(named)) return named;
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
  /\b(?:examples?|e g|usage|(?<!tool |function )use|uses|using|syntax|formats?|signatures?|try|tried|like|this|note|answer|returns?|results?|output)$/i;

/** Returns the ends of the labels in a line that may introduce a call but that the prompt does not use. */
export function labelEnds(text: string, start: number): number[] {
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
  return words ? skipDecoration(text, position + words[0].length) : position;
}

/** Matches words in a sentence with which the model announces its own call: `I will use f()`, `Calling f()`. */
const ownCall =
  /(?:\b(?:I(?:['’]ll| (?:will|should|need to|must|am going to)|['’]m going to)|let me|let['’]s|now I)(?: (?:now|then|first|next))? (?:call|use|run|invoke|execute|try)|(?:^|[.!:] )(?:now )?(?:calling|using|running|invoking|executing)|\bthe (?:next )?action (?:is|will be))(?: the)?(?: tool| function)?:? /gi;

/** Returns the positions in the line at which a call follows words that announce it. */
function announcements(text: string, start: number): number[] {
  const words = [...text.slice(start, lineEnd(text, start)).matchAll(ownCall)].slice(-MAX_LABELS);
  return words.map(({ 0: found, index }) => skipDecoration(text, start + index + found.length));
}

/** Returns the positions of tools' names in the text after an `Action:` with which the last paragraph begins. */
function namesAfterAction({ text, end, outline }: ReplyText, tools: OfferedTools): number[] {
  const marker = matchMarker(text, outline.lastParagraph ?? 0);
  if (!marker || marker === 'partial' || marker.label !== 'action') return [];
  const calls = [...text.slice(marker.end, end).matchAll(/(?<![\w.-])[\w.-]{1,200}(?=[ \t]?[([{])/g)];
  const offered = calls.filter(([name]) => tools.find(name));
  return offered.slice(0, MAX_LABELS).map(({ index }) => marker.end + index);
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
    const isStep = isWellFormed(reading, tools) && reading.isStepObject === true;
    const call = isStep ? reading : endingCallAt(reply, at, tools);
    if (call) return adviceFor(call, 'has other text beside it');
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

/**
 * Describes a call in the last list item: after a label with which the item begins, in a native format, or alone if
 * the item is the whole reply.
 */
function describeLastItem(reply: ReplyText, tools: OfferedTools): string | null {
  const { text, outline } = reply;
  if (outline.lastItem === null) return null;
  const start = unwrap(text, outline.lastItem);
  const label = actionLabels(text, start, lineEnd(text, start))[0];
  const labelled = label?.start === start ? readAction(text, label.end, tools) : null;
  const reading = labelled ?? blockIn(text, [start, lineEnd(text, start)], tools);
  if (endsReply(reading, reply, tools)) return adviceFor(reading, 'stands in a list');
  const isOnly = !reply.hasTextBefore(text.lastIndexOf('\n', outline.lastItem) + 1);
  const only = isOnly ? endingCallAt(reply, start, tools) : null;
  return only && adviceFor(only, 'stands in a list');
}

/** Maximum number of characters at the end of a reply in which two labels of a call are searched. */
const PAIR_SEARCHED = 4_000;
const mark = '[ \\t]*(?:[-*+•][ \\t]|\\d{1,3}[.)])?[ \\t]*[*_#`]{0,4}[ \\t]*';
const colon = '[*_`]{0,3}[ \\t]*[:：][*_`]{0,3}[ \\t]*';
/**
 * Matches a label with a name alone on its line and, on the next line, a second label: `Tool: read` and
 * `Tool Input: {…}`.
 */
const labelPair = new RegExp(
  `^${mark}(?<first>[\\p{L}\\p{M} _-]{1,30})${colon}["'\`*]{0,3}(?<name>[^\\s"'\`*(]{1,200})["'\`*]{0,3}(?:\\(\\))?[ \\t]*(?=(?<second>\\r?\\n\\s{0,8}${mark}(?<label>[\\p{L}\\p{M}][\\p{L}\\p{M}\\d _-]{0,30})${colon}))`,
  'gmu',
);
const inputLabel = new RegExp(`^${INPUT_LABEL}$`, 'i');
/** Matches a label of a tool, or one in another script; others, such as `name`, occur in YAML too. */
const toolLabel = /tool|function|action|\bcall\b|[^\p{ASCII}]/iu;
/** Matches a line that gives the result of a call, as in documentation and logs. */
const resultLine = new RegExp(`^${mark}(?:tool )?(?:outputs?|results?|returns?|response)${colon}`, 'imu');

/** Describes a call that two labels of another prompt give: one for the tool, one for its arguments. */
function describeLabelPair(reply: ReplyText, tools: OfferedTools): string | null {
  const { text, end } = reply;
  const from = Math.max(0, end - PAIR_SEARCHED);
  for (const { 0: labels, index, groups = {} } of [...text.slice(from, end).matchAll(labelPair)].reverse()) {
    const { first = '', name = '', second = '', label = '' } = groups;
    const input = skipFenceLine(text, from + index + labels.length + second.length);
    const isParameter = toolLabel.test(first) && tools.declares(name, label.toLowerCase());
    const isInput = inputLabel.test(label) || isParameter;
    if (!tools.find(name) || !(isInput || holdsArguments(text, input, name, tools))) continue;
    const scanner = new Scanner(text, input);
    const isJson = isOneOf('{', text, input) && readValue(scanner) !== undefined;
    const written = text.slice(input, end);
    const isWhole = isJson
      ? endsReplyAt(reply, scanner.position)
      : !/\n[ \t]*\n/.test(written) && !resultLine.test(written);
    if (isWhole)
      return adviceFor({ name }, 'is written with labels that are not `Action:` and `Action Input:`');
  }
  return null;
}

/** Skips white space, a backtick, or the opening line of a code fence. */
function skipFenceLine(text: string, position: number): number {
  const start = skipSpace(text, position);
  if (text.startsWith('```', start)) return skipSpace(text, skipLanguage(text, start + 3));
  return isOneOf('`', text, start) ? start + 1 : start;
}

/** Reads the first block of a native format that begins between `from` and `to`. */
function blockIn(text: string, [from, to]: TextSpan, tools: OfferedTools): CallReading | null {
  for (let at = from; at < to; at += 1) {
    if (opensBlock(text, at)) return readBlock(text, at, tools, { startsLine: false });
  }
  return null;
}

/** Returns whether a call is well-formed and ends the reply. */
function endsReply(reading: CallReading | null, reply: ReplyText, tools: OfferedTools): reading is WholeCall {
  return isWellFormed(reading, tools) && callEndsReply(reading, reply);
}

/** Skips the backtick or `**` before a call. */
function unwrap(text: string, position: number): number {
  if (text.startsWith('**', position)) return position + 2;
  return isOneOf('`', text, position) ? position + 1 : position;
}

const actionLabel =
  /(?<![a-z0-9"'“‘-])Action(?![a-z0-9])[*_\]>]{0,3}[ \t]{0,4}(?:#\d{1,3}|\(\d{1,3}\)|\[\d{1,3}\])?(?:->|=>|[→:：–—=(-])?[*_]{0,3}/gi;
/** Maximum number of labels that are tried in a paragraph; keeps the work linear. */
const MAX_LABELS = 8;

/** Finds `Action:`, `Action -`, `Action(` or the word `action` anywhere in a part of a text. */
export function actionLabels(text: string, from: number, to: number): { start: number; end: number }[] {
  const labels: { start: number; end: number }[] = [];
  for (const { 0: label, index } of text.slice(from, to).matchAll(actionLabel)) {
    if (labels.length >= MAX_LABELS) break;
    labels.push({ start: from + index, end: from + index + label.length });
  }
  return labels;
}
