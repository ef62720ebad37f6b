import { type CallReading, unreadable, withArguments } from '../dialects/written-call.js';
import { matchEnd } from '../text/characters.js';
import { MAX_DEPTH, readValue, setOwn } from '../text/literals.js';
import { type JsonObject, type JsonValue, Scanner } from '../text/scanner.js';

/** Tokens that quote strings in Gemma's notation. */
const quotes = ['<|"|>', '<escape>'] as const;
/** Matches the opening token and the name of a call. The word `call` may be missing. */
const opener =
  /(?:<\|tool_call>|<start_function_call>|<call>)?\s{0,4}(?:call)?:?\s?(?<name>[^\s{}<>:"'][^\s{}<>"']{0,199})\s{0,4}(?=\{)/y;
const closer = /\s{0,8}(?:<tool_call\|>|<end_function_call>|<\/call>)/y;

export const gemmaWords = ['<|tool_call>', '<start_function_call>', '<call>'] as const;
export const GEMMA_STRIPPED = 'call:';

/**
 * Reads `call:NAME{key:value}` of Gemma 4 and FunctionGemma: quote tokens enclose the strings, keys have no quotes, and
 * other values are JSON literals. If a server removed the quote tokens, the call is unreadable, since its strings have
 * no ends.
 */
export function readGemmaCall(text: string, start: number): CallReading | null {
  opener.lastIndex = start;
  const found = opener.exec(text);
  const name = found?.groups?.['name'];
  if (!found || name === undefined) return null;
  const scanner = new Scanner(text, opener.lastIndex);
  const value = readObject(scanner, 0);
  if (value === undefined) return { ...unreadable('gemma', name, scanner), end: text.length };
  const end = matchEnd(closer, text, scanner.position) ?? scanner.position;
  return withArguments({ kind: 'call', dialect: 'gemma', name, start, end }, value, scanner);
}

function readAt(scanner: Scanner, depth: number): JsonValue | undefined {
  if (!scanner.countValue()) return undefined;
  if (depth > MAX_DEPTH) return scanner.fail(`values are nested deeper than ${MAX_DEPTH} levels`);
  if (scanner.current === '{') return readObject(scanner, depth);
  if (scanner.current === '[') return readList(scanner, depth);
  return quotes.some((quote) => scanner.startsWith(quote)) ? readQuoted(scanner) : readValue(scanner);
}

function readQuoted(scanner: Scanner): string | undefined {
  const quote = quotes.find((each) => scanner.take(each)) ?? quotes[0];
  const end = scanner.text.indexOf(quote, scanner.position);
  if (end < 0) return scanner.failAtEnd('a string is not closed');
  const string = scanner.text.slice(scanner.position, end);
  scanner.position = end + quote.length;
  return string;
}

function readObject(scanner: Scanner, depth: number): JsonObject | undefined {
  scanner.take('{');
  const object: JsonObject = {};
  for (scanner.skipTrivia(); !scanner.take('}'); scanner.skipTrivia()) {
    const key = readKey(scanner);
    const value = key === undefined ? undefined : readAt(scanner, depth + 1);
    if (key === undefined || value === undefined) return undefined;
    if (Object.hasOwn(object, key)) scanner.repairs.add('duplicate_key');
    setOwn(object, key, value);
    if (!endsItem(scanner, '}')) return undefined;
  }
  return object;
}

function readKey(scanner: Scanner): string | undefined {
  const isQuoted = quotes.some((quote) => scanner.startsWith(quote)) || scanner.current === '"';
  const key = isQuoted ? quotedKey(scanner) : bareKey(scanner);
  scanner.skipTrivia();
  if (key !== undefined && scanner.take(':')) {
    scanner.skipTrivia();
    return key;
  }
  return scanner.atEnd
    ? scanner.failAtEnd('an object is cut off in a key')
    : scanner.fail('a key is expected');
}

function quotedKey(scanner: Scanner): string | undefined {
  const key = scanner.current === '"' ? readValue(scanner) : readQuoted(scanner);
  return typeof key === 'string' ? key : undefined;
}

const bare = /[^:{}[\],<>"\n]{1,300}/y;

function bareKey(scanner: Scanner): string | undefined {
  bare.lastIndex = scanner.position;
  const key = bare.exec(scanner.text)?.[0];
  scanner.position += key?.length ?? 0;
  return key?.trim();
}

function readList(scanner: Scanner, depth: number): JsonValue[] | undefined {
  scanner.take('[');
  const items: JsonValue[] = [];
  for (scanner.skipTrivia(); !scanner.take(']'); scanner.skipTrivia()) {
    const value = readAt(scanner, depth + 1);
    if (value === undefined) return undefined;
    items.push(value);
    if (!endsItem(scanner, ']')) return undefined;
  }
  return items;
}

function endsItem(scanner: Scanner, close: string): boolean {
  scanner.skipTrivia();
  if (scanner.take(',') || scanner.current === close) return true;
  if (scanner.atEnd) scanner.failAtEnd(`\`${close}\` is missing at the end`);
  else scanner.fail(`\`,\` or \`${close}\` is missing; text stands between quote tokens`);
  return false;
}
