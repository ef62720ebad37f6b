import type { OfferedTool, OfferedTools } from './arguments/offered-tool.js';
import { joinedCallAt } from './dialects/joined-call.js';
import { readJsonCalls } from './dialects/json-object.js';
import { hasUnusualName } from './dialects/named-only.js';
import type { CallReading, WholeCall } from './dialects/written-call.js';
import { readPythonStatement } from './formats/python-calls.js';
import { readUnmarked } from './formats/unmarked.js';
import type { ReplyText } from './reply-text.js';
import { isOneOf, skipBlanks, skipSpace } from './text/characters.js';
import { readJsonValue } from './text/literals.js';
import { matchMarker } from './text/markers.js';
import { Scanner } from './text/scanner.js';
import { skipClosers } from './text/trailing.js';

/** A call that a reply ends with; it need not be readable. */
export type EndingCall = Pick<WholeCall, 'name'>;

/**
 * Returns the call to an offered tool that begins at `at` and ends the reply, in a form that can be read or not; of
 * several calls, the first. Returns null for other text.
 */
export function endingCallAt(reply: ReplyText, at: number, tools: OfferedTools): EndingCall | null {
  return readableAt(reply, at, tools) ?? unreadableAt(reply, at, tools) ?? brokenJsonAt(reply, at, tools);
}

/** Maximum number of joined calls that are read; keeps the work linear. */
const MAX_JOINED = 8;

function readableAt(reply: ReplyText, at: number, tools: OfferedTools, joined = 0): EndingCall | null {
  const { text } = reply;
  const [first, ...more] = readUnmarked(text, at, tools).calls;
  const reading = first ?? (text.charAt(at) === '[' ? null : readPythonStatement(text, at, tools));
  if (reading?.kind !== 'call' || !isPlausible(reading, text, tools)) return null;
  const last = more.at(-1) ?? reading.more?.at(-1) ?? reading;
  if (callEndsReply(last, reply)) return reading;
  const next = joined < MAX_JOINED ? joinedCallAt(text, last.end, tools) : null;
  return next !== null && readableAt(reply, next, tools, joined + 1) ? reading : null;
}

/** Returns whether a call is to an offered tool and is no note in parentheses after a word, such as `search (see below)`. */
function isPlausible({ name, list, repairs, start }: WholeCall, text: string, tools: OfferedTools): boolean {
  if (!tools.find(name)) return false;
  if (!repairs.includes('bare_word') || list.some(({ key }) => key !== null)) return true;
  return hasUnusualName(name) && text.charAt(start + name.length) === '(';
}

/** Returns whether the call ends the reply, without regard to what closes or follows it there. */
export function callEndsReply({ blockEnd, end }: WholeCall, reply: ReplyText): boolean {
  return endsReplyAt(reply, blockEnd ?? end);
}

/**
 * Returns whether only signs, a comment, chat tokens or an invented observation follow up to the reply's end.
 */
export function endsReplyAt({ text, end }: ReplyText, position: number): boolean {
  const next = skipSpace(text, skipSigns(text, skipClosers(text, position), end));
  if (next >= end || isLastComment(text, skipBlanks(text, skipClosers(text, position)), end)) return true;
  const markers = [matchMarker(text, text.lastIndexOf('\n', next) + 1), matchMarker(text, next)];
  return markers.some((marker) => marker !== null && marker !== 'partial' && marker.label === 'observation');
}

/** Maximum number of signs that are skipped before and after a call. */
const MAX_SIGNS = 40;
const sign = /[^\p{L}\p{N}_\n]/u;

/** Skips signs and white space, but neither letters nor digits. */
function skipSigns(text: string, position: number, end: number): number {
  let at = position;
  while (at < end && at - position < MAX_SIGNS && (sign.test(text.charAt(at)) || text.charAt(at) === '\n'))
    at += 1;
  return at;
}

function isLastComment(text: string, at: number, end: number): boolean {
  const isComment = isOneOf('#', text, at) || text.startsWith('//', at);
  return isComment && !text.slice(at, end).includes('\n');
}

/** Maximum length of a call in no form that can be read. */
const MAX_LENGTH = 4_000;
/** Matches signs, the name of an argument, a separator and the beginning of its value. */
const argument =
  /^[^\p{L}\p{N}\n]{1,8}\s{0,20}["']?(?<key>[\p{L}\p{N}_.-]{1,60}?)["'\\]{0,2}[ \t]{0,4}(?:[:-]?=>?|->|[: >])[ \t]{0,4}(?<value>\S)/u;
const closing = /["'`)\]}>;”’»」）][^\p{L}\p{N}]{0,8}$/u;

/** Finds an offered tool's name that a parameter of the tool and its value follow, in no form that can be read. */
function unreadableAt({ text, end }: ReplyText, at: number, tools: OfferedTools): EndingCall | null {
  const nameEnd = tools.nameEnd(text, at);
  const tool = tools.find(text.slice(at, nameEnd).replaceAll('\\_', '_'));
  if (!tool || end - nameEnd > MAX_LENGTH) return null;
  return givesArgument(text.slice(nameEnd, end), tool) ? tool : null;
}

function givesArgument(rest: string, { parameters }: OfferedTool): boolean {
  const { key = '', value = '' } = argument.exec(rest)?.groups ?? {};
  if (!parameters.includes(key) || value === '<' || /\n[ \t]*\n/.test(rest)) return false;
  // A definition such as `read(path: string)` has a word there.
  return /\p{L}/u.test(value) ? /^[^\s<]*[/.\\][^\s<]*$/.test(rest.trim()) : closing.test(rest);
}

/** Finds a whole JSON object that names an offered tool but does not give its arguments in a known form. */
function brokenJsonAt(reply: ReplyText, at: number, tools: OfferedTools): EndingCall | null {
  const { text } = reply;
  if (!isOneOf('{[', text, at)) return null;
  const reading: CallReading | null = readJsonCalls(text, at, { tools });
  if (reading?.kind !== 'unreadable' || reading.name === null || !tools.find(reading.name)) return null;
  const scanner = new Scanner(text, at);
  const isWhole = readJsonValue(scanner) !== undefined && endsReplyAt(reply, scanner.position);
  return isWhole ? { name: reading.name } : null;
}
