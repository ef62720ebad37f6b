import type { OfferedTools } from '../arguments/offered-tool.js';
import { isOneOf, lineEnd, skipBlanks } from '../text/characters.js';
import { endsReply } from '../text/trailing.js';
import { type CallReading, signature } from './written-call.js';

/** Matches code before a call, such as `await f()` or `const x = f()`. */
const statement =
  /(?:(?:const|let|var)[ \t]{1,8})?(?:[\w$]{1,60}[ \t]{0,8}=[ \t]{0,8})?(?:(?:await|return|yield)[ \t]{1,8})?/y;
/** Matches the beginning of text after a tool's name that shows an intended call, not prose. */
const input = /["'“‘`{[(（:=]|->|[\w.-]{1,60}[ \t]{0,8}[=:]/y;
/** Returns whether a name is spelt as no English word is, such as `read_file`, `http.request` or `sendMail`. */
export const hasUnusualName = (name: string): boolean => /[_.\d-]|[a-z][A-Z]/.test(name);

/**
 * Recognises text after `Action:` that begins with an offered tool's name and is clearly an intended call, but has no
 * form that the parser can read. Instead of treating the text as an answer, the service advises the model (rule:
 * offered-tools).
 */
export function readNamedOnly(text: string, start: number, tools: OfferedTools): CallReading | null {
  statement.lastIndex = start;
  const head = start + (statement.exec(text)?.[0].length ?? 0);
  return readName(text, start, tools) ?? (head > start ? readName(text, head, tools) : null);
}

function readName(text: string, start: number, tools: OfferedTools): CallReading | null {
  const isQuoted = isOneOf('"\'', text, start);
  const nameStart = isQuoted ? start + 1 : start;
  const nameEnd = tools.nameEnd(text, nameStart);
  const tool = tools.find(text.slice(nameStart, nameEnd));
  if (!tool) return null;
  const after = skipBlanks(text, skipQuotes(text, nameEnd));
  input.lastIndex = after;
  const isCalled = input.test(text) || hasUnusualName(tool.name) || (isQuoted && endsReply(text, after));
  if (!isCalled) return null;
  const problem = `${tool.name}: this is no call; write ${signature(tool)}`;
  const cut = lineEnd(text, after) >= text.length;
  return { kind: 'unreadable', dialect: 'call', name: tool.name, problem, cut };
}

/** Skips the characters that close quotes, inline code or emphasis around the name. */
function skipQuotes(text: string, position: number): number {
  let at = position;
  while (at < position + 2 && isOneOf('"\'`*', text, at)) at += 1;
  return at;
}
