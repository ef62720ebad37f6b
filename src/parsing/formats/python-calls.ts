import type { OfferedTools } from '../arguments/offered-tool.js';
import { readCall, readCallOf } from '../dialects/call.js';
import type { CallReading, WholeCall } from '../dialects/written-call.js';
import { isOneOf, matchEnd, skipSpace } from '../text/characters.js';

/** Reads one Python call, or all calls of a list such as `[f(a=1), g()]`. */
export function readPythonCalls(text: string, start: number, tools: OfferedTools): CallReading | null {
  const isList = text.charAt(start) === '[';
  const calls: WholeCall[] = [];
  for (let at = isList ? skipSpace(text, start + 1) : start; ; ) {
    const reading = readPythonCall(text, at, tools);
    const last = calls.at(-1);
    if (!reading && last && tools.nameEnd(text, at) >= text.length) return notClosed(last);
    if (reading?.kind !== 'call') return reading && { ...reading, dialect: 'python' };
    if (reading.repairs.includes('missing_close')) return notClosed(reading);
    calls.push({ ...reading, dialect: 'python' });
    const after = skipSpace(text, reading.end);
    if (isList && text.charAt(after) === ',') at = skipSpace(text, after + 1);
    else return joined(calls, start, isList && isOneOf(']', text, after) ? after + 1 : reading.end);
  }
}

/**
 * Reports a call without its closing parenthesis. The text around it is not closed either, so more arguments might have
 * followed.
 */
const notClosed = ({ name }: WholeCall): CallReading => ({
  kind: 'unreadable',
  dialect: 'python',
  name,
  problem: `${name}: the call is not closed`,
  cut: true,
});

function joined([first, ...more]: readonly WholeCall[], start: number, end: number): CallReading | null {
  if (!first) return null;
  return more.length === 0 ? { ...first, start, end } : { ...first, more, blockEnd: end };
}

/** The module of the tools in Gemini's code, as in `print(default_api.f())`. */
const GEMINI_MODULE = 'default_api.';

/** Reads the call in `print(…)`. */
function readPrinted(text: string, start: number, tools: OfferedTools): CallReading | null {
  if (!text.startsWith('print(', start)) return null;
  const first = skipSpace(text, start + 'print('.length);
  const inside = text.startsWith(GEMINI_MODULE, first) ? first + GEMINI_MODULE.length : first;
  if (!tools.find(text.slice(inside, tools.nameEnd(text, inside)))) return null;
  const reading = readCall(text, inside, tools);
  if (reading?.kind !== 'call') return reading;
  const close = skipSpace(text, reading.end);
  return text.charAt(close) === ')' ? { ...reading, start, end: close + 1 } : null;
}

/** Matches a variable and the `=` with which it receives the result of a call. */
const assignment = /[A-Za-z_]\w{0,60}[ \t]{0,4}=[ \t]{0,4}(?=[A-Za-z_])/y;

/** Returns the end of the variable and its `=` if an assignment begins at `start`, else null. */
export const assignmentEnd = (text: string, start: number): number | null =>
  matchEnd(assignment, text, start);

/** Reads Python calls, or `x = f()` with a `print(x)` that may follow it. */
export function readPythonStatement(text: string, start: number, tools: OfferedTools): CallReading | null {
  const value = assignmentEnd(text, start);
  const variable = text
    .slice(start, value ?? start)
    .replace('=', '')
    .trim();
  if (value === null || tools.find(variable)) return readPythonCalls(text, start, tools);
  const reading = readPythonCall(text, value, tools);
  if (reading?.kind !== 'call' || !tools.find(reading.name)) return null;
  const shown = `print(${variable})`;
  const next = skipSpace(text, reading.end);
  const dialect = 'python';
  return {
    ...reading,
    dialect,
    start,
    end: text.startsWith(shown, next) ? next + shown.length : reading.end,
  };
}

/** Reads `tool(a=1)`, Llama's `tool.call(a=1)`, or the call whose result `print` shows. */
function readPythonCall(text: string, start: number, tools: OfferedTools): CallReading | null {
  const printed = tools.find('print') ? null : readPrinted(text, start, tools);
  if (printed) return printed;
  const open = tools.nameEnd(text, start);
  const written = text.slice(start, open);
  const name = written.endsWith('.call') ? written.slice(0, -'.call'.length) : written;
  const isBuiltIn = name !== written && !tools.find(written) && tools.find(name);
  return isBuiltIn ? readCallOf(text, { name, start, open }, tools) : readCall(text, start, tools);
}
