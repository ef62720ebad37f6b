import { yieldIfBusy } from '../../../event-loop/yield-if-busy.js';

/** Number of JSON tokens read between two calls of `yieldIfBusy`: less than a millisecond of work. */
const TOKENS_PER_TURN = 4 * 1024;

/** The kinds of token allowed at a position, as described to the caller. */
type Expected = keyof typeof words;

const words = {
  value: 'a value',
  'value or end': 'a value or the end of the array',
  name: 'a field name in double quotes',
  'name or end': 'a field name in double quotes or the end of the object',
  colon: 'a colon',
  'comma or end of object': 'a comma or the end of the object',
  'comma or end of array': 'a comma or the end of the array',
  end: 'the end of the text',
} as const;

const token =
  /[ \t\n\r]*(?:([{}[\],:])|(")|(?:-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)(?![\w.+-]))/y;

/**
 * Returns a sentence that says at which position a text stops being JSON and what was expected there, without
 * quoting the text.
 */
export async function findJsonError(text: string, signal: AbortSignal): Promise<string> {
  const { at, expected } = await walk(text, Number.POSITIVE_INFINITY, signal);
  return describe(text, at, words[expected]);
}

/** Returns whether a text is valid JSON from its beginning to position `end`, whatever follows. */
export async function isJsonUpTo(text: string, end: number, signal: AbortSignal): Promise<boolean> {
  return (await walk(text, end, signal)).isSound;
}

/**
 * The position at which reading the tokens stopped: before a token that JSON does not allow at this position, or
 * at the end of the text.
 */
interface Stop {
  readonly at: number;
  readonly expected: Expected;
  readonly isSound: boolean;
}

async function walk(text: string, end: number, signal: AbortSignal): Promise<Stop> {
  const stack: string[] = [];
  let expected: Expected = 'value';
  let at = 0;
  for (let count = 1; at < end; count += 1) {
    if (count % TOKENS_PER_TURN === 0) await yieldIfBusy(signal);
    const found = tokenAt(text, at);
    const next: Expected | undefined = found && after(found, expected, stack);
    if (!found || !next) return { at, expected, isSound: false };
    expected = next;
    at = found.end;
  }
  return { at, expected, isSound: true };
}

interface Token {
  readonly mark: string | undefined;
  readonly isString: boolean;
  readonly end: number;
}

function tokenAt(text: string, at: number): Token | undefined {
  token.lastIndex = at;
  const found = token.exec(text);
  if (!found) return undefined;
  const isString = found[2] !== undefined;
  const end = isString ? endOfWholeString(text, token.lastIndex) : token.lastIndex;
  return end === undefined ? undefined : { mark: found[1], isString, end };
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const SPACE = 0x20;

const escaped = /\\(?:["\\/bfnrt]|u[\da-fA-F]{4})/y;

/**
 * Returns the position after the string whose first character is at `start`; undefined if the string is invalid.
 * Reads each character once. A regular expression for a whole string would backtrack over a string that never
 * ends.
 */
function endOfWholeString(text: string, start: number): number | undefined {
  for (let at = start; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) return at + 1;
    if (char < SPACE) return undefined;
    if (char !== BACKSLASH) continue;
    escaped.lastIndex = at;
    if (!escaped.test(text)) return undefined;
    at = escaped.lastIndex - 1;
  }
  return undefined;
}

/** Returns the kind of token expected after a token; undefined if the token itself is not expected. */
function after({ mark, isString }: Token, expected: Expected, stack: string[]): Expected | undefined {
  if (expected === 'colon') return mark === ':' ? 'value' : undefined;
  if (expected.startsWith('name') && isString) return 'colon';
  if (expected.startsWith('value')) {
    if (mark === undefined) return afterValue(stack);
    if (mark === '{' || mark === '[') return opened(mark, stack);
  }
  if (expected.startsWith('comma') && mark === ',') return stack.at(-1) === '{' ? 'name' : 'value';
  const closer = stack.at(-1) === '{' ? '}' : ']';
  if (!expected.includes('end') || stack.length === 0 || mark !== closer) return undefined;
  stack.pop();
  return afterValue(stack);
}

function opened(mark: '{' | '[', stack: string[]): Expected {
  stack.push(mark);
  return mark === '{' ? 'name or end' : 'value or end';
}

function afterValue(stack: readonly string[]): Expected {
  if (stack.length === 0) return 'end';
  return stack.at(-1) === '{' ? 'comma or end of object' : 'comma or end of array';
}

const BROKEN_STRING = 'a string that ends on its line, without unknown escapes';

/** Describes a position: line and column from 1, the offset from 0, in UTF-16 units. */
function describe(text: string, from: number, expected: string): string {
  const offset = from + (/^[ \t\n\r]*/.exec(text.slice(from))?.[0].length ?? 0);
  const before = text.slice(0, offset);
  const line = before.split('\n').length;
  const column = offset - before.lastIndexOf('\n');
  const isBroken = text[offset] === '"' && tokenAt(text, offset) === undefined;
  return `line ${line}, column ${column} (offset ${offset}): expected ${isBroken ? BROKEN_STRING : expected}`;
}
