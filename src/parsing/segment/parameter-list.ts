import { isOneOf, isWordCharacter, lineEnd, skipBlanks, skipSpace } from '../text/characters.js';

/** Maximum length of a parameter list; keeps reading a segment linear. */
const MAX_LIST_LENGTH = 2000;
const closing: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };
const typeWords = new Set([
  'string',
  'str',
  'int',
  'integer',
  'number',
  'float',
  'bool',
  'boolean',
  'array',
  'list',
  'object',
  'dict',
  'any',
]);
const notParameters = new Set(['self', 'cls']);

/**
 * Reads the names in `a, b: int = 3, c?: string[], *, d="…")`, beginning after the opening parenthesis. If the list is
 * prose, `names` is null and `end` is the position at which reading stopped.
 */
export function readParameters(text: string, start: number): { names: string[] | null; end: number } {
  const list = text.slice(start, start + MAX_LIST_LENGTH);
  const names = new Set<string>();
  for (let at = list.includes(')') ? skipGap(list, 0) : list.length; at < list.length; ) {
    if (list.charAt(at) === ')') return { names: [...names], end: start + at + 1 };
    const end = parameterEnd(list, at);
    const name = readParameterName(list, at, end);
    if (name === null) return { names: null, end: start + end };
    if (name !== '' && !notParameters.has(name)) names.add(name);
    at = list.charAt(end) === ',' ? skipGap(list, end + 1) : end;
  }
  return { names: null, end: start + list.length };
}

/** Skips white space and line comments. */
function skipGap(list: string, start: number): number {
  let at = skipSpace(list, start);
  while (list.startsWith('//', at)) at = skipSpace(list, lineEnd(list, at));
  return at;
}

/** Returns the position of the comma or parenthesis that ends the parameter. Skips nested brackets and strings. */
function parameterEnd(list: string, start: number): number {
  const open: string[] = [];
  for (let at = start; at < list.length; at += 1) {
    const mark = list.charAt(at);
    const close = closing[mark];
    if (mark === open.at(-1)) open.pop();
    else if (mark === '"' || mark === "'") at = Math.max(at, list.indexOf(mark, at + 1));
    else if (close && !(mark === '<' && list.charAt(at + 1) === '=')) open.push(close);
    else if (open.length === 0 && (mark === ',' || mark === ')')) return at;
  }
  return list.length;
}

/**
 * Returns a parameter's name; `''` if the entry names none, such as `*`, `/` and `*args`; null if the entry is prose.
 */
function readParameterName(text: string, start: number, end: number): string | null {
  // `*args` and `**options` stand for any arguments; no argument has that name.
  if (text.charAt(start) === '*') return '';
  let at = start;
  while (at < end && isOneOf('./<[{"\'`&$ \n\t\r', text, at)) at += 1;
  const nameEnd = wordEnd(text, at, end);
  const name = text.slice(at, nameEnd);
  const next = skipBlanks(text, nameEnd);
  if (next < end && next > nameEnd && isWordCharacter(text.charCodeAt(next))) {
    // The type may precede the name, as in `string path`.
    return typeWords.has(name) ? text.slice(next, wordEnd(text, next, end)) : null;
  }
  return name;
}

function wordEnd(text: string, start: number, limit: number): number {
  let end = start;
  while (end < limit && (isWordCharacter(text.charCodeAt(end)) || text.charAt(end) === '-')) end += 1;
  return end;
}
