import type { OfferedTools } from '../arguments/offered-tool.js';
import { readBracket } from '../dialects/bracket.js';
import { readCall } from '../dialects/call.js';
import { readJsonCalls } from '../dialects/json-object.js';
import {
  type CallReading,
  type UnreadableCall,
  unreadable,
  type WholeCall,
  withArguments,
} from '../dialects/written-call.js';
import { isOneOf, matchEnd, skipBlanks, skipSpace } from '../text/characters.js';
import { readValue } from '../text/literals.js';
import { skipDecoration } from '../text/markdown.js';
import { Scanner } from '../text/scanner.js';
import { hintedName, offeredName } from './hinted-name.js';
import { readPythonCalls } from './python-calls.js';

/** Calls at the beginning of a text without a label or tags. */
export interface UnmarkedCalls {
  readonly calls: readonly WholeCall[];
  /**
   * A broken or cut-off call of an offered tool that follows `calls`. The rest of the text is then not searched for
   * calls.
   */
  readonly broken: UnreadableCall | null;
}

/**
 * Reads calls that have no label or tags. They follow each other on separate lines or are separated by `;` (rule:
 * several-calls).
 */
export function readUnmarked(text: string, start: number, tools: OfferedTools): UnmarkedCalls {
  const calls: WholeCall[] = [];
  for (let at = start; at < text.length; ) {
    const reading =
      readList(text, at, tools) ?? readNamedObject(text, at, tools) ?? readPlainAll(text, at, tools);
    if (reading?.kind !== 'call')
      return { calls, broken: reading && isData(reading, { text, at, tools }) ? reading : null };
    calls.push(reading);
    const next = skipSpace(text, reading.blockEnd ?? reading.end);
    at = text.charAt(next) === ';' ? skipSpace(text, next + 1) : next;
    if (reading.dialect === 'bracket' || calls.length >= MAX_CALLS) break;
  }
  return { calls, broken: null };
}

/**
 * Whether unreadable text is a call of an offered tool and not prose: the text ends within it, or its syntax does not
 * occur in prose.
 */
function isData(
  { cut, name, dialect }: UnreadableCall,
  { text, at, tools }: { text: string; at: number; tools: OfferedTools },
): boolean {
  if (!cut && dialect === 'call') return false;
  return name === null ? hintedName(text, at, tools) !== null : tools.find(name) !== undefined;
}

/** Maximum number of calls without a label or tags in one reply. */
const MAX_CALLS = 128;

/** Reads `[f(), g()]`, a list of Python calls. */
function readList(text: string, start: number, tools: OfferedTools): CallReading | null {
  return text.charAt(start) === '[' ? readPythonCalls(text, start, tools) : null;
}

/** Matches the word on the line before a tool's name (Step-Audio 2). */
const wordBefore = /^function[ \t]*\r?\n\s*/;
const MAX_WORD_LENGTH = 16;

/**
 * Reads a tool's name and a JSON object, without the tokens around the name, which were in the prompt or are lost
 * (Functionary, Mistral, Kimi K2, Step-Audio 2).
 */
function readNamedObject(text: string, start: number, tools: OfferedTools): CallReading | null {
  const nameStart = start + (wordBefore.exec(text.slice(start, start + MAX_WORD_LENGTH))?.[0].length ?? 0);
  const nameEnd = tools.nameEnd(text, nameStart);
  const name = offeredName(text.slice(nameStart, nameEnd), tools);
  const open = skipSpace(text, nameEnd);
  if (!tools.find(name) || text.charAt(open) !== '{') return null;
  const scanner = new Scanner(text, open);
  const value = readValue(scanner);
  if (value === undefined) return unreadable('name_json', name, scanner);
  return withArguments(
    { kind: 'call', dialect: 'name_json', name, start, end: scanner.position },
    value,
    scanner,
  );
}

function readPlainAll(text: string, start: number, tools: OfferedTools): CallReading | null {
  return (
    readCall(text, start, tools) ?? readBracket(text, start, tools) ?? readJsonCalls(text, start, { tools })
  );
}

/** Keys under which JSON of a call has the tool's name. */
const nameKeys = ['name', 'action', 'tool', 'tool_name', 'function'];
/** Matches the beginning of a JSON call up to the tool's name. */
const beginningOfName = new RegExp(
  `\\[?\\s{0,8}\\{\\s{0,8}"(?:${nameKeys.join('|')})"\\s{0,8}:\\s{0,8}"`,
  'y',
);

/** Returns whether the text ends within a call of an offered tool, without a label or tags, that begins at `start`. */
export function isCutCall(text: string, start: number, tools: OfferedTools): boolean {
  const name = matchEnd(beginningOfName, text, start);
  if (name !== null && tools.mayGoOnToName(text, name)) return true;
  const { calls, broken } = readUnmarked(text, start, tools);
  if (broken !== null) return broken.cut;
  const last = calls.at(-1);
  return last?.repairs.includes('missing_close') === true && skipSpace(text, last.end) >= text.length;
}

/** Whether a call of an offered tool was read without repairs, except conversions of a value. */
export function isWellFormed(reading: CallReading | null, tools: OfferedTools): reading is WholeCall {
  if (reading?.kind !== 'call' || tools.find(reading.name) === undefined) return false;
  return reading.repairs.every((repair) => repair.startsWith('coerced:'));
}

/**
 * Maximum number of white-space characters between the parts of a possible call. After more, the text counts as a
 * possible call without waiting for the next character.
 */
const MAX_BLANKS = 16;

/**
 * Whether a call without a label or tags may begin at `position` of a text that is still arriving; `'partial'` if more
 * text is needed to decide.
 */
export function mayBeginBareCall(text: string, position: number, tools: OfferedTools): boolean | 'partial' {
  const start = skipBlanks(text, position);
  if (text.charAt(start) === '{') return true;
  if (text.charAt(start) === '[') {
    const inside = skipSpace(text, start + 1);
    if (inside - start > MAX_BLANKS) return true;
    if (inside >= text.length) return 'partial';
    return isOneOf('{[', text, inside) || mayBeginNamed(text, inside, tools);
  }
  return mayBeginNamed(text, start, tools);
}

/** Keys with which JSON of a call may begin before the tool's name. */
const firstKeys = ['thought', 'type', 'id', 'tool_calls', 'tool_call', 'function_call'];
const firstEntry = /^\[?\s{0,8}\{\s{0,8}"([^"\n]{1,60})"\s{0,8}:\s{0,8}(?:"([^"\n]{0,200})"|([^"\s]))?/;
const begunEntry = /^\[?\s{0,8}(?:\{\s{0,8}(?:"[^"\n]{0,60}"?\s{0,8}:?\s{0,8}(?:"[^"\n]{0,200})?)?)?$/;

/**
 * Returns whether a line of a text that is still arriving may begin with a call of an offered tool, without a label or
 * tags; `'partial'` if more text is needed to decide.
 */
export function mayBeginCallLine(text: string, position: number, tools: OfferedTools): boolean | 'partial' {
  if (!isOneOf('{[', text, position)) return mayBeginNamed(text, skipDecoration(text, position), tools);
  const head = text.slice(position, position + 300);
  const [, key = '', name, other] = firstEntry.exec(head) ?? [];
  if (firstKeys.includes(key) || tools.find(key)) return true;
  if (nameKeys.includes(key) && (name ?? other) !== undefined)
    return other !== undefined || tools.find(name ?? '') !== undefined;
  return begunEntry.test(head) ? 'partial' : false;
}

/** Texts that models write before a tool's name. */
const prefixes = ['functions.', 'function\n', 'function\r\n'];

/** Returns whether an offered tool's name and the beginning of its arguments are at `start`. */
function mayBeginNamed(text: string, start: number, tools: OfferedTools): boolean | 'partial' {
  if (tools.areUnknown) return false;
  const before = wordBefore.exec(text.slice(start, start + MAX_WORD_LENGTH))?.[0];
  if (before !== undefined) return start + before.length < text.length ? true : 'partial';
  const isInPrefix = prefixes.some((prefix) => prefix.startsWith(text.slice(start)));
  const short = text.startsWith('functions.', start) ? start + 'functions.'.length : start;
  if (isInPrefix || tools.mayGoOnToName(text, start) || tools.mayGoOnToName(text, short)) return 'partial';
  const end = tools.nameEnd(text, start);
  if (!tools.find(offeredName(text.slice(start, end), tools))) return false;
  const open = skipSpace(text, end);
  if (open - end > MAX_BLANKS) return true;
  if (open >= text.length) return 'partial';
  return isOneOf('({', text, open) || text.charAt(end) === '[';
}
