import { character, isBlank, isRestBlank, isWhiteSpace, lineEnd, skipBlanks } from './characters.js';
import { chatTokenAt, chatTokens, endTokens } from './chat-tokens.js';

/** Stop words that a server may cut in the middle, leaving the first half (rule: first-action-wins). */
export const stopWords = ['Observation:', '<observation>', '</tool_code', '</code', ...endTokens] as const;
const SHORTEST_HALF = 3;

/** What may close the wrapping of a call: inline code, emphasis, a list, a statement. */
const closers = ['`', '**', ';', ']'] as const;

/** Past closers, chat tokens and blanks up to where the line goes on with something else. */
export function skipClosers(text: string, position: number): number {
  let at = skipBlanks(text, position);
  for (;;) {
    const closer = closers.find((each) => text.startsWith(each, at)) ?? chatTokenAt(text, at);
    if (!closer || text.startsWith('```', at)) return at;
    at = skipBlanks(text, at + closer.length);
  }
}

/** Whether nothing but closers follows on this line, so that the call may end here. */
export function endsReply(text: string, position: number): boolean {
  const at = skipClosers(text, position);
  return at >= text.length || '\r\n'.includes(text.charAt(at)) || text.startsWith('```', at);
}

/** Where a text ends, and how much of chat tokens and stop words was cut. */
export interface TrimmedEnd {
  readonly end: number;
  readonly stop: number;
}

/** What a reply's end holds besides text. */
export function trimEnd(text: string, from: number): TrimmedEnd {
  return trim(text, { from, end: text.length, endings: tokensAndHalves });
}

/** The same before a place in the middle of a reply, where no half stop word can stand. */
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
      .get(text.slice(end - SHORTEST_HALF, end))
      ?.find((word) => standsBefore(word, { text, from, end }));
    if (!cut || (cut === STRIKE_CLOSE && closesStrike(text, strike, end))) return { end, stop };
    stop += cut.length;
    end -= cut.length;
  }
}

const STRIKE_CLOSE = '</s>';

/** `</s>` is HTML where a `<s>` is open (rule: chat-tokens). */
function closesStrike(text: string, open: number, end: number): boolean {
  const close = end - STRIKE_CLOSE.length;
  return open >= 0 && open < close && open > text.lastIndexOf(STRIKE_CLOSE, close - 1);
}

/** Words by how they end, longest first: the end of a text is looked up, not searched. None is shorter than its half. */
function byEnding(words: readonly string[]): Endings {
  const endings = new Map<string, string[]>();
  for (const word of [...words].sort((a, b) => b.length - a.length)) {
    const ending = word.slice(-SHORTEST_HALF);
    endings.set(ending, [...(endings.get(ending) ?? []), word]);
  }
  return endings;
}

function halves(word: string): string[] {
  const lengths = Array.from({ length: word.length - SHORTEST_HALF + 1 }, (_, more) => SHORTEST_HALF + more);
  return lengths.map((length) => word.slice(0, length));
}

const wholeWords: ReadonlySet<string> = new Set(stopWords);
const halfStops: ReadonlySet<string> = new Set(stopWords.flatMap(halves));
const LONGEST_STOP = Math.max(...stopWords.map((word) => word.length));

/** Whether what is there of a line is the first half of a stop word, or all of it, and nothing else. */
export function isHalfStop(text: string, start: number, end: number): boolean {
  return end - start < 2 * LONGEST_STOP && halfStops.has(text.slice(start, end).trim());
}

const wholeTokens = byEnding(chatTokens);
const tokensAndHalves = byEnding([...chatTokens, ...stopWords.flatMap(halves)]);

/** A token anywhere; a word only where it starts a line but not the reply, and half of one only alone on its line. */
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
