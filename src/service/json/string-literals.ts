import { findLongStrings, refuseNul, type StringRange } from './json-hazards.js';

/**
 * The long strings of a body, each with the JSON that it was read from: what is sent on as it came is copied. To escape and
 * encode it anew would take a hundred times as long.
 */
export class StringLiterals {
  readonly #literals = new Map<string, string>();

  /** In ASCII and without its quotes; undefined for any other string. */
  of(text: string): string | undefined {
    return text.length < SHORTEST ? undefined : this.#literals.get(text);
  }

  add(text: string, literal: string): void {
    this.#literals.set(text, literal);
  }
}

/** Nothing shorter has a long literal. */
const SHORTEST = 512;

export interface ParsedJson {
  readonly value: unknown;
  readonly literals: StringLiterals;
}

/**
 * What `JSON.parse` makes of a text in ASCII of at most `MAX_AT_ONCE` characters. Its long strings are parsed by themselves, and
 * put where a mark stood that no caller can send. Throws as `refuseHazards` and `JSON.parse` do, but for where and in what order.
 */
export function parseWithLiterals(text: string): ParsedJson {
  const literals = new StringLiterals();
  const strings: string[] = [];
  let marked = '';
  let at = 0;
  const copy = (end: number): void => {
    const between = text.slice(at, end);
    refuseNul(between);
    marked += between;
  };
  for (const range of findLongStrings(text).filter((each) => !isName(text, each))) {
    copy(range.start);
    marked += `"\\u0000${strings.length}"`;
    at = range.end;
    const string = parseString(text.slice(range.start, range.end));
    strings.push(string);
    literals.add(string, text.slice(range.start + 1, range.end - 1));
  }
  copy(text.length);
  const value: unknown = JSON.parse(marked);
  return { value: strings.length === 0 ? value : withStrings(value, strings), literals };
}

/** Whether a string is the name of a field. */
function isName(text: string, { end }: StringRange): boolean {
  let at = end;
  while (/\s/.test(text.charAt(at))) at += 1;
  return text.charAt(at) === ':';
}

function parseString(literal: string): string {
  if (literal.includes('0000')) refuseNul(literal); // rarer than the `u` before it, and so found faster
  return JSON.parse(literal);
}

const MARK = 0;

/** The value with its strings in place of their marks. */
function withStrings(value: unknown, strings: readonly string[]): unknown {
  if (typeof value === 'string')
    return value.charCodeAt(0) === MARK ? strings[Number(value.slice(1))] : value;
  if (typeof value !== 'object' || value === null) return value;
  const container = value as Record<string, unknown>; // or a list, by its indexes
  for (const name in container) container[name] = withStrings(container[name], strings);
  return value;
}
