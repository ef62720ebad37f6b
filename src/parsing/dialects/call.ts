import type { OfferedTools } from '../arguments/offered-tool.js';
import { readArguments } from '../arguments/read-arguments.js';
import { skipBlanks, skipSpace } from '../text/characters.js';
import { Scanner } from '../text/scanner.js';
import { readString, stringStart } from '../text/strings.js';
import type { CallReading } from './written-call.js';

/** Reads `tool(a=1, "b": 2)` (rule: arguments). */
export function readCall(text: string, start: number, tools: OfferedTools): CallReading | null {
  const nameEnd = tools.nameEnd(text, start);
  const name = text.slice(start, nameEnd);
  // Spaces before the parenthesis are allowed only after the name of an offered tool, since prose also has words before
  // a parenthesis.
  const open = tools.find(name) ? skipBlanks(text, nameEnd) : nameEnd;
  return name === '' ? null : readCallOf(text, { name, start, open }, tools);
}

/** Reads a call whose name is already read and whose parenthesis is at `open`. */
export function readCallOf(
  text: string,
  { name, start, open }: { name: string; start: number; open: number },
  tools: OfferedTools,
): CallReading | null {
  if (text.charAt(open) !== '(') return null;
  const reading = readArguments(text, open + 1, tools.find(name));
  if (!reading.ok) {
    return {
      kind: 'unreadable',
      dialect: 'call',
      name,
      problem: `${name}: ${reading.problem}`,
      cut: reading.cut,
    };
  }
  const { list, end, repairs, spellings } = reading;
  return { kind: 'call', dialect: 'call', name, list, spellings, repairs, start, end };
}

/** Reads the first call of a list, such as `[f()]` or `['f()']` (rule: listed-call). */
export function readListedCall(text: string, start: number, tools: OfferedTools): CallReading | null {
  if (text.charAt(start) !== '[') return null;
  const inside = skipSpace(text, start + 1);
  const reading = readQuotedCall(text, inside, tools) ?? readCall(text, inside, tools);
  if (reading?.kind !== 'call') return reading;
  const after = skipSpace(text, reading.end);
  return text.charAt(after) === ']' ? { ...reading, start, end: after + 1 } : { ...reading, start };
}

/** Reads `'f()'`, a call that is the whole content of a string. */
export function readQuotedCall(text: string, start: number, tools: OfferedTools): CallReading | null {
  const scanner = new Scanner(text, start);
  if (!stringStart(scanner)) return null;
  const quoted = readString(scanner)?.trim();
  const reading = quoted === undefined ? null : readCall(quoted, 0, tools);
  if (reading?.kind !== 'call') return reading;
  return { ...reading, start, end: scanner.position };
}
