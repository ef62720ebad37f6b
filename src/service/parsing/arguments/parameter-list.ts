import { isWordCharacter, lineEnd, skipBlanks, skipSpace } from '../text/characters.js';

/** A longer list is no signature; keeps reading a segment linear. */
const LONGEST_LIST = 2000;
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
 * Names from `a, b: int = 3, c?: string[], *, d="…")`, read from after the parenthesis to its end. Null
 * where the list is prose.
 */
export function readParameters(text: string, start: number): { names: string[]; end: number } | null {
  const names: string[] = [];
  for (let at = skipGap(text, start); at < text.length && at - start < LONGEST_LIST; ) {
    if (text.charAt(at) === ')') return { names, end: at + 1 };
    const end = pieceEnd(text, at, start + LONGEST_LIST);
    const name = readParameterName(text, at, end);
    if (name === null) return null;
    if (name !== '' && !notParameters.has(name) && !names.includes(name)) names.push(name);
    at = text.charAt(end) === ',' ? skipGap(text, end + 1) : end;
  }
  return null;
}

/** Past white space and line comments. */
function skipGap(text: string, start: number): number {
  const at = skipSpace(text, start);
  return text.startsWith('//', at) ? skipGap(text, lineEnd(text, at)) : at;
}

/** The comma or parenthesis that ends the parameter, past brackets and strings. */
function pieceEnd(text: string, start: number, limit: number): number {
  const open: string[] = [];
  for (let at = start; at < text.length && at < limit; at += 1) {
    const mark = text.charAt(at);
    const close = closing[mark];
    if (mark === open.at(-1)) open.pop();
    else if (mark === '"' || mark === "'") at = stringEnd(text, at, limit);
    else if (close && !(mark === '<' && text.charAt(at + 1) === '=')) open.push(close);
    else if (open.length === 0 && (mark === ',' || mark === ')')) return at;
  }
  return Math.min(text.length, limit);
}

function stringEnd(text: string, start: number, limit: number): number {
  const end = text.indexOf(text.charAt(start), start + 1);
  return end < 0 || end > limit ? start : end;
}

/** `''` for `*`, `/` and `*args`; null for words that are no parameter. */
function readParameterName(text: string, start: number, end: number): string | null {
  // `*args` and `**options` stand for any number of arguments, not for one of that name
  if (text.charAt(start) === '*') return '';
  let at = start;
  while (at < end && './<[{"\'`&$ \n\t\r'.includes(text.charAt(at))) at += 1;
  const nameEnd = wordEnd(text, at, end);
  const name = text.slice(at, nameEnd);
  const next = skipBlanks(text, nameEnd);
  if (next < end && next > nameEnd && isWordCharacter(text.charCodeAt(next))) {
    // `string path`: the type may stand first
    return typeWords.has(name) ? text.slice(next, wordEnd(text, next, end)) : null;
  }
  return name;
}

function wordEnd(text: string, start: number, limit: number): number {
  let end = start;
  while (end < limit && (isWordCharacter(text.charCodeAt(end)) || text.charAt(end) === '-')) end += 1;
  return end;
}
