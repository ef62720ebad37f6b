import type { OfferedTools } from '../arguments/offered-tool.js';
import {
  isOneOf,
  isRestBlank,
  lineEnd,
  matchEnd,
  shorten,
  skipBlanks,
  skipLanguage,
  skipRun,
  skipSpace,
} from '../text/characters.js';
import { turnEndInLine } from '../text/chat-tokens.js';
import { readValue } from '../text/literals.js';
import { isFenceAt } from '../text/markdown.js';
import { matchMarker } from '../text/markers.js';
import { isJsonObject, type JsonValue, Scanner } from '../text/scanner.js';
import { readString, stringStart } from '../text/strings.js';
import { endsReply, skipClosers, trimEnd } from '../text/trailing.js';
import { holdsArguments, losesArguments } from './json-object.js';
import {
  type CallReading,
  isAnswerName,
  signature,
  unreadable,
  type WholeCall,
  withArguments,
} from './written-call.js';

/** Reads `Action: tool` with `Action Input: …` on a later line (rule: two-line-action). */
export function readActionInput(text: string, start: number, tools: OfferedTools): CallReading | null {
  const line = lineEnd(text, start);
  const input = inputAfter(text, line);
  if (input === null) return readNameAlone(text, start, tools);
  const name = text
    .slice(start, line)
    .trim()
    .replace(/[`*]{1,2}$/, '')
    .replace(/^(["'])(.*)\1$/, '$2')
    .trim();
  if (name === '' || (!tools.find(name) && meansNoAction(name))) return null;
  return readInputAt(text, input, { name, start, tools });
}

/**
 * Reads the `Action Input:` below a call such as `tool()`, and passes the input to the tool. If the call and the input
 * both have arguments, it is unclear which are intended.
 */
export function withInputBelow(text: string, call: WholeCall, tools: OfferedTools): CallReading {
  const { name, start, end, blockEnd = end } = call;
  const input = inputAfter(text, lineEnd(text, blockEnd));
  if (input === null) return call;
  const reading = readInputAt(text, input, { name, start, tools });
  if (reading.kind === 'call' && (!hasArguments(reading) || isNone(reading))) return call;
  return hasArguments(call)
    ? unclear(name, `${name}: the call and \`Action Input:\` both have arguments`)
    : reading;
}

const hasArguments = ({ list }: WholeCall): boolean =>
  list.some(({ key, value }) => key !== null || !isJsonObject(value) || Object.keys(value).length > 0);

/** Whether the input is a word such as `None`, which means that there are no arguments. */
const isNone = ({ list: [only] }: WholeCall): boolean =>
  typeof only?.value === 'string' && meansNoAction(only.value);

/** The tool that an input is for, and where its call starts. */
interface NamedTool {
  readonly name: string;
  readonly start: number;
  readonly tools: OfferedTools;
}

function readInputAt(text: string, input: number, tool: NamedTool): CallReading {
  if (isLabelled(text, input)) return plainInput(tool.name, tool.start, input, '');
  const first = skipSpace(text, input);
  return isFenceAt(text, first) ? readFenced(text, first, tool) : readInput(text, first, tool);
}

/** Returns the position after the `Action Input:` label on the next non-blank line. */
function inputAfter(text: string, line: number): number | null {
  const next = skipSpace(text, line);
  const marker = matchMarker(text, text.lastIndexOf('\n', next) + 1);
  return marker && marker !== 'partial' && marker.label === 'action_input' && next > line ? marker.end : null;
}

/**
 * Whether a label follows the empty `Action Input:` on a later line, so that the input is empty (rule: literals-first).
 */
export function isLabelled(text: string, input: number): boolean {
  const line = text.lastIndexOf('\n', skipSpace(text, input)) + 1;
  const marker = line > input ? matchMarker(text, line) : null;
  return marker !== null && marker !== 'partial';
}

/** Whether a name means that no action follows, such as `None` or `N/A` (rule: offered-tools). */
export function meansNoAction(name: string): boolean {
  return ['none', 'n/a', 'na', 'null', 'nil', 'nothing', '-', '–', '—'].includes(name.toLowerCase());
}

/**
 * Reads an offered tool's name alone on its line: a call if the tool has no parameters, else a call that
 * lacks its arguments.
 */
function readNameAlone(text: string, start: number, tools: OfferedTools): CallReading | null {
  const nameEnd = tools.nameEnd(text, start);
  const name = text.slice(start, nameEnd);
  const tool = tools.find(name);
  if (!tool) return null;
  const after = skipBlanks(text, nameEnd);
  const input = text.charAt(after) === ':' ? skipBlanks(text, after + 1) : after;
  const named = { name, start, tools };
  if (text.charAt(input) === '{') return readInput(text, input, named);
  const line = lineEnd(text, nameEnd);
  const textBelow = tool.parameters.length > 0 ? lineBelow(text, line) : null;
  const below = argumentsBelow(text, line, name, tools) ?? textBelow;
  if (below !== null && endsReply(text, nameEnd)) {
    const reading = readInputAt(text, below, named);
    if (reading.kind !== 'call') return reading;
    return losesArguments(text, reading.end, name, tools)
      ? unclear(name, `${name}: write all arguments in one object`)
      : withInputBelow(text, reading, tools);
  }
  if (skipClosers(text, nameEnd) < lineEnd(text, nameEnd) - 1 || !endsReply(text, nameEnd)) return null;
  const cut =
    skipSpace(text, nameEnd) >= text.length || matchMarker(text, lineEnd(text, nameEnd) + 1) === 'partial';
  if (tool.parameters.length > 0) {
    return {
      kind: 'unreadable',
      dialect: 'action_input',
      name,
      problem: `${name} has no arguments; write ${signature(tool)}`,
      cut,
    };
  }
  return {
    kind: 'call',
    dialect: 'call',
    name,
    list: [],
    spellings: new WeakMap(),
    repairs: ['missing_parentheses'],
    mayContinue: cut,
    start,
    end: nameEnd,
  };
}

/** Words of labels that models write in place of `Action Input:`, as the source of a regular expression. */
export const INPUT_LABEL =
  '(?:(?:tool|function|action|call)[ _-]?)?(?:inputs?|arguments?|args|param(?:eter)?s?)';
const otherLabel = new RegExp(`[*_]{0,3}${INPUT_LABEL}[*_]{0,3}[ \\t]{0,4}[:：][*_\`]{0,3}`, 'iy');

/**
 * Returns where an object with arguments for the tool begins below its name, in a fence or not, and with a label or
 * none; null if there is none.
 */
function argumentsBelow(text: string, line: number, name: string, tools: OfferedTools): number | null {
  const first = skipSpace(text, line);
  const at = skipSpace(text, matchEnd(otherLabel, text, first) ?? first);
  const marks = isFenceAt(text, at) ? skipRun(text, at, text.charAt(at)) : null;
  const open = marks === null ? at : skipSpace(text, skipLanguage(text, marks));
  return holdsArguments(text, open, name, tools) ? at : null;
}

/** Returns the position after a label that is not `Action Input:` if one line of text follows it, and no other text. */
function lineBelow(text: string, line: number): number | null {
  const input = matchEnd(otherLabel, text, skipSpace(text, line));
  if (input === null || isRestBlank(text, input, lineEnd(text, input))) return null;
  const after = skipSpace(text, lineEnd(text, input));
  const isLast = after >= text.length || matchMarker(text, text.lastIndexOf('\n', after) + 1) !== null;
  return isLast && !isOneOf('{[`~', text, skipBlanks(text, input)) ? input : null;
}

function readFenced(text: string, fence: number, tool: NamedTool): CallReading {
  const { name, start } = tool;
  const marks = skipRun(text, fence, text.charAt(fence));
  const run = text.slice(fence, marks);
  const beside = skipLanguage(text, marks);
  const below = skipSpace(text, lineEnd(text, beside));
  const inside = isOneOf('{[', text, below) ? below : skipSpace(text, beside);
  if ('{['.includes(text.charAt(inside) || ' ')) {
    const reading = readInput(text, inside, tool);
    if (reading.kind !== 'call') return reading;
    const close = skipSpace(text, reading.end);
    return text.startsWith(run, close) ? { ...reading, end: close + run.length } : reading;
  }
  const close = text.indexOf(run, inside);
  if (close < 0) {
    return {
      kind: 'unreadable',
      dialect: 'action_input',
      name,
      problem: `${name}: a fence is not closed`,
      cut: true,
    };
  }
  const hasLanguage = isRestBlank(text, beside, lineEnd(text, beside));
  const written = text.slice(hasLanguage ? beside : marks, close).trim();
  // In ```sh ls``` the first word is a language, but in ```apple juice``` it is part of the input: the syntax alone
  // does not distinguish them.
  const mayBeLanguage = !hasLanguage && beside > marks && inside > beside && inside < close;
  return mayBeLanguage ? unclear(name, asObject(name)) : plainInput(name, start, close + run.length, written);
}

function readInput(text: string, input: number, tool: NamedTool): CallReading {
  const { name, start } = tool;
  const scanner = new Scanner(text, input);
  if ('{['.includes(scanner.current || ' ')) return readStructure(scanner, start, name);
  const literal = stringStart(scanner) ? readString(scanner) : undefined;
  if (literal !== undefined && endsReply(text, scanner.position)) {
    return plainInput(name, start, scanner.position, literal);
  }
  return readPlain(text, input, tool);
}

function readStructure(scanner: Scanner, start: number, name: string): CallReading {
  const isList = scanner.current === '[';
  const value = readValue(scanner);
  if (value === undefined) return unreadable('action_input', name, scanner);
  // A list is one value, which belongs to the first parameter.
  return inputCall(name, start, scanner.position, isList ? [value] : value, scanner);
}

/**
 * Reads plain text up to the next label or the end of the model's turn. If text follows a blank line, the call is
 * malformed, since the input's end is then unclear.
 */
function readPlain(text: string, input: number, { name, start, tools }: NamedTool): CallReading {
  let end = input;
  while (end < text.length) {
    const turnEnd = turnEndInLine(text, end, lineEnd(text, end));
    if (turnEnd !== null) {
      end = turnEnd;
      break;
    }
    end = lineEnd(text, end);
    const marker = matchMarker(text, end + 1);
    if (marker && marker !== 'partial') break;
    end += 1;
  }
  const trimmed = trimEnd(text.slice(0, Math.min(end, text.length)), input);
  end = Math.max(input, trimmed.end);
  const written = text.slice(input, end);
  const isNothing = meansNoAction(written) && tools.find(name)?.parameters.length === 0;
  if (isNothing) return plainInput(name, start, end, '');
  const problem = describePlainProblem(name, written, tools);
  if (problem) return unclear(name, problem);
  return plainInput(name, start, end, written);
}

/** Matches a key and the beginning of its value: `path: a`, `- "path": "a"` or `<path>a`. */
const keyed = /^(?:[-*][ \t]{1,3})?(?:["']?([\w.-]{1,60})["']?[ \t]{0,3}:|<([\w.-]{1,60})>)/;

function describePlainProblem(name: string, written: string, tools: OfferedTools): string | null {
  if (isAnswerName(name)) return null;
  if (/\n[ \t\r]*\n/.test(written))
    return `${name}: where the input ends is unclear; write it as a JSON object`;
  const first = shorten(written);
  const [, key, tag] = keyed.exec(first) ?? [];
  const isArgument = tools.declares(name, key ?? tag ?? '');
  const isCode = /^[\w.-]{1,60}[ \t]{0,3}=[^=]/.test(first) || first.startsWith(`${name}(`);
  return isArgument || isCode ? asObject(name) : null;
}

const asObject = (name: string): string => `${name}: write the input as a JSON object`;

const unclear = (name: string, problem: string): CallReading => ({
  kind: 'unreadable',
  dialect: 'action_input',
  name,
  problem,
  cut: false,
});

function plainInput(name: string, start: number, end: number, written: string): CallReading {
  return inputCall(name, start, end, written === '' ? undefined : written, new Scanner(written, 0));
}

function inputCall(
  name: string,
  start: number,
  end: number,
  value: JsonValue | undefined,
  scanner: Scanner,
): CallReading {
  return withArguments({ kind: 'call', dialect: 'action_input', name, start, end }, value, scanner);
}
