import type { OfferedTools } from '../arguments/offered-tool.js';
import { FixedWords, skipSpace } from '../text/characters.js';
import { callTags } from '../text/inline-marks.js';
import { readValue } from '../text/literals.js';
import { Scanner } from '../text/scanner.js';
import { readCall } from './call.js';
import { readJsonCall } from './json-object.js';
import { type CallReading, unreadable, withArguments } from './written-call.js';

const MAX_NAME_LENGTH = 300;
const parameterTags = ['parameters', 'arguments', 'args', 'input'] as const;

const openingTags = new FixedWords(
  callTags.map((tag) => `<${tag}>` as const),
  1,
);

/** Returns the call tag, such as `<tool_call>`, that opens at `position`. */
export function callTagAt(text: string, position: number): string | undefined {
  return openingTags.at(text, position);
}

/**
 * Reads a call in a tag: a JSON object, `<name>` with `<parameters>`, or `tool(…)`. Returns null otherwise,
 * as for prose that only mentions the tag. The closing tag may be missing.
 */
export function readTag(text: string, start: number, tools: OfferedTools): CallReading | null {
  const opening = callTagAt(text, start);
  if (opening === undefined) return null;
  const tag = opening.slice(1, -1);
  const inside = skipFence(text, skipSpace(text, start + opening.length));
  const reading =
    readNamed(text, inside) ?? readJsonCall(text, inside, 'tag') ?? readCall(text, inside, tools);
  if (reading?.kind !== 'call') return reading && { ...reading, dialect: 'tag' };
  const end = closeTag(text, skipFence(text, skipSpace(text, reading.end)), tag) ?? reading.end;
  return { ...reading, dialect: 'tag', start, end };
}

/** Reads `<name>tool</name><parameters>{…}</parameters>`, the form that the service teaches. */
function readNamed(text: string, start: number): CallReading | null {
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
  if (!tag) return withoutArguments(text, name, start, nameEnd + '</name>'.length);
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
  if (!close || callTags.some((each) => each === close[1])) return null;
  return { end: position + close[0].length, isMended: true };
}

function withoutArguments(text: string, name: string, start: number, end: number): CallReading {
  return withArguments({ kind: 'call', dialect: 'tag', name, start, end }, undefined, new Scanner(text, end));
}

/** Returns the position after `</tag>`; null if the text here is not that tag. */
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
