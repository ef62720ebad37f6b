import type { OfferedTools } from '../arguments/offered-tool.js';
import { lineEnd } from '../text/characters.js';
import { Scanner } from '../text/scanner.js';
import { readSingleString } from '../text/strings.js';
import type { CallReading } from './written-call.js';

/** `tool[text]`: verbatim to the last `]` of the line, into the first parameter (rule: bracket-call). */
export function readBracket(text: string, start: number, tools: OfferedTools): CallReading | null {
  const open = tools.nameEnd(text, start);
  const name = text.slice(start, open);
  if (name === '' || text.charAt(open) !== '[') return null;
  const close = closingBracket(text, open);
  if (close < 0) {
    const cut = lineEnd(text, open) >= text.length;
    return { kind: 'unreadable', dialect: 'bracket', name, problem: `${name}: \`]\` is missing`, cut };
  }
  const written = text.slice(open + 1, close);
  const none = written.trim() === '' && tools.find(name)?.parameters.length === 0;
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

/** The last `]` of the line, before an observation that follows on the same line (`f[x] Observation 2: …`). */
function closingBracket(text: string, open: number): number {
  const end = lineEnd(text, open);
  const line = text.slice(open, end);
  const observation = /\][ \t]{1,8}Observation(?: \d{1,9})?:/i.exec(line);
  const close = observation ? observation.index : line.lastIndexOf(']');
  return close < 0 ? -1 : open + close;
}

/** Unquoted only if the whole is one string literal; two side by side are text (rule: bracket-call). */
function unquote(written: string): string {
  const trimmed = written.trim();
  const scanner = new Scanner(trimmed, 0);
  const literal = readSingleString(scanner);
  return literal !== undefined && scanner.atEnd ? literal : written;
}
