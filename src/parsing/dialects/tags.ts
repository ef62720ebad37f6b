import { matchEnd, skipSpace } from '../text/characters.js';
import { readValue } from '../text/literals.js';
import { Scanner } from '../text/scanner.js';
import { type CallReading, unreadable, withArguments } from './written-call.js';

const MAX_NAME_LENGTH = 300;
const MAX_TAG_LENGTH = 20;
/** Matches what may begin arguments in another form than `<parameters>`: JSON, a fence, or an element. */
const otherArguments = /[{[]|```|<(?!tool|function|observation|name)[a-z]\w{0,40}>/y;
const parameterTags = ['parameters', 'arguments', 'args', 'input'] as const;

/**
 * Reads `<name>tool</name><parameters>{…}</parameters>`, the form inside `<tool_call>` that the prompt asks for.
 * Returns null for any other text.
 */
export function readNamedTag(text: string, start: number): CallReading | null {
  if (!text.startsWith('<name>', start)) return null;
  const nameLength = text.slice(start, start + MAX_NAME_LENGTH).indexOf('</name>');
  if (nameLength < 0) {
    const cut = start + MAX_NAME_LENGTH > text.length;
    return { kind: 'unreadable', dialect: 'tag', name: null, problem: '<name> is not closed', cut };
  }
  const nameEnd = start + nameLength;
  const name = text.slice(start + '<name>'.length, nameEnd).trim();
  const after = skipSpace(text, nameEnd + '</name>'.length);
  const tag = parameterTags.find((each) => text.startsWith(`<${each}>`, after));
  if (!tag) return withoutParameters(text, name, { start, nameEnd, after });
  const open = skipFence(text, skipSpace(text, after + tag.length + 2));
  const empty = closeTag(text, open, tag);
  if (empty !== null) return withoutArguments(text, name, start, empty);
  const scanner = new Scanner(text, open);
  if (scanner.current !== '{') scanner.fail(`${name}: <${tag}> takes one JSON object`);
  const value = scanner.problem === null ? readValue(scanner) : undefined;
  if (value === undefined) {
    if (scanner.atEnd) scanner.cut = true;
    return unreadable('tag', name, scanner);
  }
  const close = closeParameters(text, skipFence(text, skipSpace(text, scanner.position)), tag);
  if (close?.isMended) scanner.repairs.add('mismatched_tag');
  const end = close?.end ?? scanner.position;
  return withArguments({ kind: 'call', dialect: 'tag', name, start, end }, value, scanner);
}

/** Skips `</parameters>`, or a similar closing tag such as `</parameter>`; null if there is none. */
function closeParameters(
  text: string,
  position: number,
  tag: string,
): { end: number; isMended: boolean } | null {
  const exact = closeTag(text, position, tag);
  if (exact !== null) return { end: exact, isMended: false };
  const close = /^<\/(\w{1,40})>/.exec(text.slice(position, position + 43));
  if (!close || close[1]?.endsWith('_call') || close[1] === 'tool_code') return null;
  return { end: position + close[0].length, isMended: true };
}

/** Reads a call without a `<parameters>` tag. The call is cut off if the text ends within that tag. */
function withoutParameters(
  text: string,
  name: string,
  { start, nameEnd, after }: { start: number; nameEnd: number; after: number },
): CallReading {
  const rest = text.slice(after, after + MAX_TAG_LENGTH);
  const isCut = rest !== '' && parameterTags.some((each) => `<${each}>`.startsWith(rest));
  if (isCut)
    return { kind: 'unreadable', dialect: 'tag', name, problem: `${name}: it is cut off`, cut: true };
  if (matchEnd(otherArguments, text, after) !== null) {
    const problem = `${name}: put the arguments in <parameters>{…}</parameters>`;
    return { kind: 'unreadable', dialect: 'tag', name, problem, cut: false };
  }
  const reading = withoutArguments(text, name, start, nameEnd + '</name>'.length);
  return rest === '' && reading.kind === 'call' ? { ...reading, repairs: ['missing_close'] } : reading;
}

function withoutArguments(text: string, name: string, start: number, end: number): CallReading {
  return withArguments({ kind: 'call', dialect: 'tag', name, start, end }, undefined, new Scanner(text, end));
}

/** Returns the position after `</tag>`; null if there is no such tag at `position`. */
function closeTag(text: string, position: number, tag: string): number | null {
  const close = `</${tag}>`;
  return text.startsWith(close, position) ? position + close.length : null;
}

/** Skips an opening or closing fence line between the tags. */
function skipFence(text: string, position: number): number {
  if (!text.startsWith('```', position)) return position;
  let at = position + 3;
  while (/[\w-]/.test(text.charAt(at))) at += 1;
  return skipSpace(text, at);
}
