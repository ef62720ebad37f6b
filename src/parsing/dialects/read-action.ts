import type { OfferedTools } from '../arguments/offered-tool.js';
import { readBlock } from '../formats/read-block.js';
import {
  isOneOf,
  isRestBlank,
  lineEnd,
  skipBlanks,
  skipLanguage,
  skipRun,
  skipSpace,
} from '../text/characters.js';
import { opensOtherTurn, readTokens } from '../text/chat-tokens.js';
import { readValue } from '../text/literals.js';
import { bulletEnd, isFenceAt } from '../text/markdown.js';
import { isJsonObject, type JsonValue, Scanner } from '../text/scanner.js';
import { isLabelled, meansNoAction, readActionInput, withInputBelow } from './action-input.js';
import { readBracket } from './bracket.js';
import { readCall, readListedCall, readQuotedCall } from './call.js';
import { losesArguments, readJsonCalls } from './json-object.js';
import { readNamedOnly } from './named-only.js';
import type { CallReading } from './written-call.js';

interface DialectReader {
  /** Characters with which a call in this dialect can begin; absent if it can begin with any character. */
  readonly opens?: string;
  readonly read: (text: string, start: number, tools: OfferedTools) => CallReading | null;
}

/**
 * Readers of all dialects of an action, in the order in which they are tried. The first one that recognises the
 * text wins.
 */
const readers: readonly DialectReader[] = [
  { opens: '<[]', read: readBlock },
  { opens: '[', read: readListedCall },
  { opens: '{[', read: (text, start, tools) => readJsonCalls(text, start, { tools, isMarked: true }) },
  { read: readQuotedCall },
  { read: readCall },
  { read: readBlock },
  { read: readBracket },
  { read: readActionInput },
  { read: readNamedOnly },
];

/**
 * Reads the text after `Action:`. Returns null if the text is not a call, such as `None`, `N/A` or prose (rule:
 * offered-tools).
 */
export function readAction(text: string, position: number, tools: OfferedTools): CallReading | null {
  const tokens = readTokens(text, position, opensOtherTurn);
  if (tokens.turn !== null || isLabelled(text, position)) return null;
  const reading = readWritten(text, unwrap(text, tokens.end, tools), tools);
  const isCall = reading?.kind === 'call' && (tools.areUnknown || tools.find(reading.name));
  return isCall ? reading : (readCodeFence(text, tokens.end, tools) ?? reading);
}

function readWritten(text: string, start: number, tools: OfferedTools): CallReading | null {
  for (const { opens, read } of readers) {
    if (opens !== undefined && !isOneOf(opens, text, start)) continue;
    const reading = read(text, start, tools);
    if (!reading) continue;
    const isNone = reading.name !== null && !tools.find(reading.name) && meansNoAction(reading.name);
    return isNone ? null : withNextArguments(text, reading, tools);
  }
  return null;
}

/** Reads the arguments that some models write after a complete call: below `Action Input:`, or as a JSON object. */
function withNextArguments(text: string, reading: CallReading, tools: OfferedTools): CallReading {
  if (reading.kind !== 'call') return reading;
  const { name, dialect, end, blockEnd = end, input = null } = reading;
  const isInput = dialect === 'action_input';
  if (isInput && repeatsArgument(text, blockEnd, input)) return reading;
  if (!losesArguments(text, blockEnd, name, tools))
    return isInput ? reading : withInputBelow(text, reading, tools);
  const problem = `${name}: write all arguments ${isInput ? 'in one object' : 'inside the call'}`;
  return { kind: 'unreadable', dialect, name, problem, cut: false };
}

/** Whether the object at `position` has an argument that the call already has, so that it belongs to a further call. */
function repeatsArgument(text: string, position: number, input: JsonValue): boolean {
  const start = skipSpace(text, position);
  const next = isOneOf('{', text, start) ? (readValue(new Scanner(text, start)) ?? null) : null;
  return (
    isJsonObject(input) && isJsonObject(next) && Object.keys(next).some((key) => Object.hasOwn(input, key))
  );
}

/** Reads code that calls a tool, such as `print(f())`, in a ```tool_code fence (rule: native-formats). */
function readCodeFence(text: string, position: number, tools: OfferedTools): CallReading | null {
  const start = skipSpace(text, position);
  const reading = isFenceAt(text, start) ? readBlock(text, start, tools) : null;
  return reading?.kind === 'call' ? reading : null;
}

/** Skips a bullet, a fence, inline code or emphasis before the call (rule: whole-reply-fence). */
function unwrap(text: string, position: number, tools: OfferedTools): number {
  const first = skipSpace(text, position);
  const start = skipBlanks(text, bulletEnd(text, first));
  if (isFenceAt(text, start)) return insideFence(text, skipRun(text, start, text.charAt(start)), tools);
  if (text.startsWith('**', start)) return start + 2;
  return text.charAt(start) === '`' ? start + 1 : start;
}

/**
 * Skips the language and other words after the backticks or tildes of a fence. On one line, ```tool(…)``` and
 * ```tool {…}``` have no language; in ```python tool(…)``` the first word is the language, even if a tool has that name.
 */
function insideFence(text: string, run: number, tools: OfferedTools): number {
  const marks = skipBlanks(text, run);
  const end = skipLanguage(text, marks);
  const isTool = toolEnd(text, marks, tools) !== undefined;
  const called = toolEnd(text, skipBlanks(text, end), tools);
  const isCalled = called !== undefined && isOneOf('([{\r\n', text, skipBlanks(text, called));
  const isCall = isTool && !isRestBlank(text, end, lineEnd(text, end)) && !isCalled;
  if (!isTool && !isCalled && hasInfo(text, end)) return skipSpace(text, lineEnd(text, end));
  const isLanguage = isOneOf(' \t\r\n{[', text, end) && !isCall;
  return skipSpace(text, isLanguage ? end : marks);
}

/** Returns whether only words follow the language on the opening line of a fence, as in ```json title="a.json". */
function hasInfo(text: string, position: number): boolean {
  const end = lineEnd(text, position);
  const rest = text.slice(position, end).trim();
  return end < text.length && rest !== '' && /^(?:\{[.#]|[^\s{[<(])[^`(]*$/.test(rest);
}

/** Returns the end of an offered tool's name at `position`. */
function toolEnd(text: string, position: number, tools: OfferedTools): number | undefined {
  const end = tools.nameEnd(text, position);
  return tools.find(text.slice(position, end)) && end;
}
