import type { OfferedTools } from '../arguments/offered-tool.js';
import { isOneOf, lineEnd, skipBlanks } from '../text/characters.js';
import { chatTokenAt } from '../text/chat-tokens.js';
import { Scanner } from '../text/scanner.js';
import { readSingleString } from '../text/strings.js';
import { joinedCallAt } from './joined-call.js';
import { type CallReading, signature } from './written-call.js';

/**
 * Reads `tool[text]`: all text up to the last `]` of the line is the first parameter (rule: bracket-call).
 */
export function readBracket(text: string, start: number, tools: OfferedTools): CallReading | null {
  const open = tools.nameEnd(text, start);
  const name = text.slice(start, open);
  if (name === '' || text.charAt(open) !== '[') return null;
  const close = closingBracket(text, open, tools);
  if (close < 0) {
    const cut = lineEnd(text, open) >= text.length;
    return { kind: 'unreadable', dialect: 'bracket', name, problem: `${name}: \`]\` is missing`, cut };
  }
  const written = text.slice(open + 1, close);
  const tool = tools.find(name);
  const [, key = ''] = /^\s{0,8}([^\s=:]{1,60})\s{0,4}[=:]\s{0,4}["'`]/.exec(written) ?? [];
  if (tool?.parameters.includes(key)) {
    const problem = `${name}: write the arguments in parentheses: ${signature(tool)}`;
    return { kind: 'unreadable', dialect: 'bracket', name, problem, cut: false };
  }
  const none = written.trim() === '' && tool?.parameters.length === 0;
  return {
    kind: 'call',
    dialect: 'bracket',
    name,
    list: none ? [] : [{ key: null, value: unquote(written) }],
    spellings: new WeakMap(),
    repairs: [],
    start,
    end: close + 1,
  };
}

/**
 * Returns the position of the last `]` of the line, or of the first one that an observation (`f[x] Observation
 * 2: …`), a chat token, or outside inner brackets another call follows.
 */
function closingBracket(text: string, open: number, tools: OfferedTools): number {
  const end = lineEnd(text, open);
  let close = -1;
  let depth = 0;
  for (let at = open; at < end; at += 1) {
    if (isOneOf('[', text, at)) depth += 1;
    if (!isOneOf(']', text, at)) continue;
    close = at;
    depth -= 1;
    if (endsInput(text, at + 1) || (depth === 0 && joinedCallAt(text, at + 1, tools) !== null)) break;
  }
  return close;
}

function endsInput(text: string, position: number): boolean {
  observation.lastIndex = position;
  if (observation.test(text)) return true;
  const token = chatTokenAt(text, skipBlanks(text, position));
  return token !== undefined && token !== '</s>';
}

const observation = /[ \t]{1,8}Observation(?: \d{1,9})?:/iy;

/**
 * Removes the quotes only if the whole text is one string literal; two adjacent literals are plain text
 * (rule: bracket-call).
 */
function unquote(written: string): string {
  const trimmed = written.trim();
  const scanner = new Scanner(trimmed, 0);
  const literal = readSingleString(scanner);
  return literal !== undefined && scanner.atEnd ? literal : written;
}
