import type { OfferedTools } from '../arguments/offered-tool.js';
import { isOneOf, isRestBlank, lineEnd, skipBlanks, skipLanguage, skipSpace } from '../text/characters.js';
import { opensOtherTurn, readTokens } from '../text/chat-tokens.js';
import { isLabelled, meansNoAction, readActionInput } from './action-input.js';
import { readBracket } from './bracket.js';
import { readCall, readListedCall, readQuotedCall } from './call.js';
import { readJsonCall } from './json-object.js';
import { readNamedOnly } from './named-only.js';
import { readTag } from './tags.js';
import type { CallReading } from './written-call.js';

interface DialectReader {
  /** The characters one of which a call begins with; any if there are none. */
  readonly opens?: string;
  readonly read: (text: string, start: number, tools: OfferedTools) => CallReading | null;
}

/** One for each dialect an action may be written in; the first that knows what stands there reads it. */
const readers: readonly DialectReader[] = [
  { opens: '<', read: readTag },
  { opens: '[', read: readListedCall },
  { opens: '{[', read: (text, start) => readJsonCall(text, start) },
  { read: readQuotedCall },
  { read: readCall },
  { read: readBracket },
  { read: readActionInput },
  { read: readNamedOnly },
];

/**
 * Reads what stands after `Action:`. Null where it is no call at all: `None`, `N/A`, prose (rule: offered-tools).
 */
export function readAction(text: string, position: number, tools: OfferedTools): CallReading | null {
  const tokens = readTokens(text, position, opensOtherTurn);
  if (tokens.turn !== null) return null;
  const start = unwrap(text, tokens.end, tools);
  if (isLabelled(text, position)) return null;
  for (const { opens, read } of readers) {
    if (opens !== undefined && !isOneOf(opens, text, start)) continue;
    const reading = read(text, start, tools);
    if (!reading) continue;
    const isNone = reading.name !== null && !tools.find(reading.name) && meansNoAction(reading.name);
    return isNone ? null : reading;
  }
  return null;
}

/** Past a fence, inline code or emphasis around the call (rule: whole-reply-fence). */
function unwrap(text: string, position: number, tools: OfferedTools): number {
  const start = skipSpace(text, position);
  if (text.startsWith('```', start)) return insideFence(text, start + 3, tools);
  if (text.startsWith('**', start)) return start + 2;
  return text.charAt(start) === '`' ? start + 1 : start;
}

/**
 * Past the language beside the marks of a fence; on one line ```tool(…)``` has none, nor has ```tool {…}```. In ```python
 * tool(…)``` it is one though there may be a tool of that name.
 */
function insideFence(text: string, marks: number, tools: OfferedTools): number {
  const end = skipLanguage(text, marks);
  const isTool = toolEnd(text, marks, tools) !== undefined;
  const called = toolEnd(text, skipBlanks(text, end), tools);
  const isCalled = called !== undefined && isOneOf('([{\r\n', text, skipBlanks(text, called));
  const isCall = isTool && !isRestBlank(text, end, lineEnd(text, end)) && !isCalled;
  const isLanguage = isOneOf(' \t\r\n{[', text, end) && !isCall;
  return skipSpace(text, isLanguage ? end : marks);
}

/** Where the name of an offered tool ends that stands at `position`. */
function toolEnd(text: string, position: number, tools: OfferedTools): number | undefined {
  const end = tools.nameEnd(text, position);
  return tools.find(text.slice(position, end)) && end;
}
