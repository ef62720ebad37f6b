import { MAX_NAME_LENGTH } from '../arguments/offered-tool.js';
import {
  character,
  FixedWords,
  isDigit,
  isOneOf,
  isWordCharacter,
  skipBlanks,
  skipDigits,
  skipRun,
} from '../text/characters.js';

const keywords = new FixedWords(
  ['async def ', 'def ', 'async function ', 'function ', 'Action: ', 'Tool: ', 'tool: '],
  0,
);

/** Describes how a line begins: with a bullet, `#` or indentation. A tool's name may begin at `position`. */
export interface LineStart {
  readonly position: number;
  readonly heading: boolean;
  readonly bullet: boolean;
  readonly indented: boolean;
}

/**
 * Skips what may precede a tool's name on its line: indentation, `#`, a bullet, a number, `def`, `**`, backticks and
 * quotes.
 */
export function introduce(text: string, lineStart: number): LineStart {
  let position = skipBlanks(text, lineStart);
  const indented = position - lineStart > 1;
  const heading = text.charAt(position) === '#';
  position = skipBlanks(text, skipRun(text, position, '#'));
  const bullet = listMarkEnd(text, position);
  const isBullet = bullet > position;
  position = skipDecoration(text, skipBlanks(text, bullet));
  const keyword = keywords.at(text, position);
  if (keyword) position = skipDecoration(text, skipBlanks(text, position + keyword.length));
  return { position, heading, bullet: isBullet, indented };
}

function listMarkEnd(text: string, position: number): number {
  if (isOneOf('-*+•|', text, position) && isOneOf(' \t', text, position + 1)) return position + 1;
  const at = skipDigits(text, position, 4);
  return at > position && isOneOf('.)', text, at) ? at + 1 : position;
}

/** Skips `**`, backticks and quotes around a name. */
export function skipDecoration(text: string, position: number): number {
  let at = position;
  while (isDecoration(text.charCodeAt(at))) at += 1;
  return at;
}

const DOUBLE_QUOTE = 34;
const SINGLE_QUOTE = 39;

function isDecoration(code: number): boolean {
  const { asterisk, backtick } = character;
  return code === asterisk || code === backtick || code === DOUBLE_QUOTE || code === SINGLE_QUOTE;
}

export interface DecoratedName {
  readonly name: string;
  readonly decorated: boolean;
}

/** Reads a name in bold, quotes or inline code, or a lower-case one, if `:`, `-`, `(` or the line's end follows. */
export function readDecoratedName(text: string, position: number): DecoratedName | null {
  const end = readName(text, position);
  if (end === position) return null;
  const after = skipDecoration(text, end);
  const decorated = after > end && isDecoration(text.charCodeAt(position - 1));
  const nextAt = skipBlanks(text, after);
  const next = text.slice(nextAt, nextAt + 2);
  const followed = next === '' || /^(?:[:\n\r—–(]|- |->|\|)/.test(next);
  return followed && (decorated || /^[\p{Ll}_]/u.test(text.charAt(position)))
    ? { name: text.slice(position, end), decorated }
    : null;
}

/**
 * Returns the end of a name, which starts with a letter or `_` and may hold `.`, `-` and `/` between word
 * characters.
 */
export function readName(text: string, position: number): number {
  const first = text.charCodeAt(position);
  if (!isWordCharacter(first) || isDigit(first)) return position;
  let end = position + 1;
  while (
    end <= position + MAX_NAME_LENGTH &&
    (isWordCharacter(text.charCodeAt(end)) ||
      (isOneOf('.-/', text, end) && isWordCharacter(text.charCodeAt(end + 1))))
  ) {
    end += 1;
  }
  return end <= position + MAX_NAME_LENGTH ? end : position;
}
