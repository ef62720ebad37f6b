import { character, isBlank, isRestBlank, isWhiteSpace, lineEnd, skipBlanks } from './characters.js';
import { chatTokenAt, chatTokens, endTokens } from './chat-tokens.js';
import { isFenceAt } from './markdown.js';

/** Stop words that a server may cut in the middle, leaving the first half (rule: first-action-wins). */
export const stopWords = ['Observation:', '<observation>', '</tool_code', '</code', ...endTokens] as const;
const MIN_HALF_LENGTH = 3;

/** Characters that close inline code, emphasis, a list or a statement around a call. */
const closers = ['`', '**', ';', ']'] as const;

/** Skips characters that close something around a call, chat tokens, spaces and tabs. */
export function skipClosers(text: string, position: number): number {
  let at = skipBlanks(text, position);
  for (;;) {
    const closer = closers.find((each) => text.startsWith(each, at)) ?? chatTokenAt(text, at);
    if (!closer || text.startsWith('```', at)) return at;
    at = skipBlanks(text, at + closer.length);
  }
}

/** Whether only closing characters, chat tokens or a fence follow on the line, so that a call may end at `position`. */
export function endsReply(text: string, position: number): boolean {
  const at = skipClosers(text, position);
  return at >= text.length || '\r\n'.includes(text.charAt(at)) || isFenceAt(text, at);
}

/** The end of a text before trailing chat tokens and stop words (`end`), and their number of characters (`stop`). */
export interface TrimmedEnd {
  readonly end: number;
  readonly stop: number;
}

/** Removes white space, chat tokens, and complete or cut stop words from a reply's end. */
export function trimEnd(text: string, from: number): TrimmedEnd {
  return trim(text, { from, end: text.length, endings: tokensAndHalves });
}

/** Removes white space and complete chat tokens before a position in the middle of a reply. */
export function trimTokens(text: string, from: number, end: number): TrimmedEnd {
  return trim(text, { from, end, endings: wholeTokens });
}

type Endings = ReadonlyMap<string, readonly string[]>;

function trim(
  text: string,
  { from, end: given, endings }: { from: number; end: number; endings: Endings },
): TrimmedEnd {
  let end = given;
  let stop = 0;
  const strike = text.lastIndexOf('<s>', given);
  for (;;) {
    while (end > from && isWhiteSpace(text.charCodeAt(end - 1))) end -= 1;
    const cut = endings
      .get(text.slice(end - MIN_HALF_LENGTH, end))
      ?.find((word) => standsBefore(word, { text, from, end }));
    if (!cut || (cut === STRIKE_CLOSE && closesStrike(text, strike, end))) return { end, stop };
    stop += cut.length;
    end -= cut.length;
  }
}

const STRIKE_CLOSE = '</s>';

/**
 * Whether a `</s>` at the end is an HTML tag and no chat token, because a `<s>` before it is still open (rule:
 * chat-tokens).
 */
function closesStrike(text: string, open: number, end: number): boolean {
  const close = end - STRIKE_CLOSE.length;
  return open >= 0 && open < close && open > text.lastIndexOf(STRIKE_CLOSE, close - 1);
}

/** Groups words by their last characters, longest first, to look up the end of a text. */
function byEnding(words: readonly string[]): Endings {
  const endings = new Map<string, string[]>();
  for (const word of [...words].sort((a, b) => b.length - a.length)) {
    const ending = word.slice(-MIN_HALF_LENGTH);
    endings.set(ending, [...(endings.get(ending) ?? []), word]);
  }
  return endings;
}

function halves(word: string): string[] {
  const lengths = Array.from(
    { length: word.length - MIN_HALF_LENGTH + 1 },
    (_, more) => MIN_HALF_LENGTH + more,
  );
  return lengths.map((length) => word.slice(0, length));
}

const wholeWords: ReadonlySet<string> = new Set(stopWords);
const halfStops: ReadonlySet<string> = new Set(stopWords.flatMap(halves));
const MAX_STOP_LENGTH = Math.max(...stopWords.map((word) => word.length));

/** Whether the line consists of a stop word, or of the beginning of one. */
export function isHalfStop(text: string, start: number, end: number): boolean {
  return end - start < 2 * MAX_STOP_LENGTH && halfStops.has(text.slice(start, end).trim());
}

const wholeTokens = byEnding(chatTokens);
const tokensAndHalves = byEnding([...chatTokens, ...stopWords.flatMap(halves)]);

/**
 * Whether a chat token or stop word that must be removed ends at the position. A token may be anywhere; a stop word
 * must be at the start of a line other than the first; the beginning of a stop word must be alone on its line.
 */
function standsBefore(
  word: string,
  { text, from, end }: { text: string; from: number; end: number },
): boolean {
  const start = end - word.length;
  if (start < from || !text.endsWith(word, end)) return false;
  if (word.startsWith('<') || word.startsWith('[')) return true;
  return (
    startsLine(text, start, from) && (wholeWords.has(word) || isRestBlank(text, end, lineEnd(text, end)))
  );
}

function startsLine(text: string, position: number, from: number): boolean {
  let at = position;
  while (at > from && isBlank(text.charCodeAt(at - 1))) at -= 1;
  return at > from && text.charCodeAt(at - 1) === character.newline;
}
