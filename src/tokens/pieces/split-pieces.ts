import { type CharacterKinds, Kind } from './character-kinds.js';

/**
 * The type of functions that return the end of the piece that begins at `start`. Byte-level BPE merges only inside
 * *pieces*, which are the matches of the encoding's regular expression. These functions implement such expressions.
 * They take linear time for any text (a regular expression would backtrack), work on bytes, and use the Unicode data of
 * the reference implementation instead of the running Node's.
 */
export type EndOfPiece = (text: CharacterKinds, start: number) => number;

const LETTERS = Kind.upper | Kind.lower | Kind.letter;
/** The characters `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`. */
const UPPER_RUN = Kind.upper | Kind.letter | Kind.mark;
/** The characters `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`. */
const LOWER_RUN = Kind.lower | Kind.letter | Kind.mark;
/** The characters `[^\s\p{L}\p{N}]`. */
const SYMBOLS = Kind.other | Kind.mark;

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const SPACE = 0x20;
const APOSTROPHE = 0x27;
const SLASH = 0x2f;

/** The bit that differs between the upper and the lower case of an ASCII letter. */
const CASE_BIT = 0x20;
const ONE_LETTER_CONTRACTIONS = new Set(['s', 't', 'm', 'd'].map((letter) => letter.charCodeAt(0)));
const TWO_LETTER_CONTRACTIONS = new Set(
  ['re', 've', 'll'].map((letters) => (letters.charCodeAt(0) << 8) | letters.charCodeAt(1)),
);
const LONG_S_LEAD = 0xc5;
const LONG_S_CONTINUATION = 0xbf;

/**
 * Returns the end of the piece at `start`, as the regular expression of o200k_base matches it:
 *
 *     [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
 *   | [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
 *   | \p{N}{1,3} | ?[^\s\p{L}\p{N}]+[\r\n/]* | \s*[\r\n]+ | \s+(?!\S) | \s+
 */
export function endOfO200kPiece(text: CharacterKinds, start: number): number {
  // The leading character may also be a combining mark (`\p{M}`). It is not skipped here, because it also
  // belongs to the word itself, so the match ends at the same place.
  const wordStart = endOfLead(text, start, Kind.other | Kind.whitespace);
  const wordEnd = endOfCasedWord(text.kinds, wordStart);
  if (wordEnd > wordStart) return endOfContraction(text.bytes, wordEnd);
  return endOfNumber(text.kinds, start) ?? endOfSymbols(text, start, SLASH) ?? endOfWhitespace(text, start);
}

/**
 * Returns the end of the piece at `start`, as the regular expression of cl100k_base matches it:
 *
 *     (?i:'s|'t|'re|'ve|'m|'ll|'d) | [^\r\n\p{L}\p{N}]?\p{L}+ | \p{N}{1,3}
 *   | ?[^\s\p{L}\p{N}]+[\r\n]* | \s*[\r\n]+ | \s+(?!\S) | \s+
 */
export function endOfCl100kPiece(text: CharacterKinds, start: number): number {
  const contractionEnd = endOfContraction(text.bytes, start);
  if (contractionEnd > start) return contractionEnd;
  const wordStart = endOfLead(text, start, Kind.other | Kind.whitespace | Kind.mark);
  const wordEnd = endOfRun(text.kinds, wordStart, LETTERS);
  if (wordEnd > wordStart) return wordEnd;
  return (
    endOfNumber(text.kinds, start) ?? endOfSymbols(text, start, LINE_FEED) ?? endOfWhitespace(text, start)
  );
}

/** Matches `[^\r\n\p{L}\p{N}]?`. `leads` are the classes of characters that the bracket accepts. */
function endOfLead({ bytes, kinds }: CharacterKinds, start: number, leads: number): number {
  if (((kinds[start] ?? 0) & leads) === 0 || isLineBreak(bytes[start])) return start;
  return endOfCharacter(kinds, start);
}

/**
 * Matches the two word alternatives of o200k without the leading character and the contraction. `[upper]*[lower]+`
 * backtracks until its second part matches: the run of upper-case letters, caseless letters and marks then ends at
 * its last caseless letter or mark, unless a lower-case letter follows. A run of only upper-case letters matches
 * the second alternative, `[upper]+[lower]*`.
 */
function endOfCasedWord(kinds: Uint8Array, start: number): number {
  let at = start;
  let caselessEnd = start;
  for (let kind = kinds[at] ?? 0; kind & UPPER_RUN; kind = kinds[at] ?? 0) {
    at++;
    if (kind & LOWER_RUN) caselessEnd = at;
  }
  if ((kinds[at] ?? 0) & Kind.lower) return endOfRun(kinds, at, LOWER_RUN);
  return caselessEnd > start ? caselessEnd : at;
}

/** Matches `(?i:'s|'t|'re|'ve|'m|'ll|'d)?`. Case folding also maps U+017F, the long s, to `s`. */
function endOfContraction(bytes: Uint8Array, start: number): number {
  if (bytes[start] !== APOSTROPHE) return start;
  const first = bytes[start + 1] ?? 0;
  const second = bytes[start + 2] ?? 0;
  if (ONE_LETTER_CONTRACTIONS.has(first | CASE_BIT)) return start + 2;
  if (TWO_LETTER_CONTRACTIONS.has(((first | CASE_BIT) << 8) | second | CASE_BIT)) return start + 3;
  return first === LONG_S_LEAD && second === LONG_S_CONTINUATION ? start + 3 : start;
}

/** Matches `\p{N}{1,3}`. */
function endOfNumber(kinds: Uint8Array, start: number): number | undefined {
  if (((kinds[start] ?? 0) & Kind.number) === 0) return undefined;
  let at = start;
  for (let digits = 0; digits < 3 && (kinds[at] ?? 0) & Kind.number; digits++) at = endOfCharacter(kinds, at);
  return at;
}

/** Matches `[ ]?[^\s\p{L}\p{N}]+[\r\n]*`. The byte `trailing` is allowed among the line breaks, too. */
function endOfSymbols({ bytes, kinds }: CharacterKinds, start: number, trailing: number): number | undefined {
  const symbols = bytes[start] === SPACE ? start + 1 : start;
  let at = endOfRun(kinds, symbols, SYMBOLS);
  if (at === symbols) return undefined;
  while (isLineBreak(bytes[at]) || bytes[at] === trailing) at++;
  return at;
}

/**
 * Matches `\s*[\r\n]+|\s+(?!\S)|\s+`: white space up to the last line break of the run. A run without a line break ends
 * before its last character, which belongs to the next word, unless that is its only character or the text ends there.
 */
function endOfWhitespace({ bytes, kinds }: CharacterKinds, start: number): number {
  const end = endOfRun(kinds, start, Kind.whitespace);
  for (let at = end - 1; at >= start; at--) if (isLineBreak(bytes[at])) return at + 1;
  if (end === bytes.length) return end;
  let last = end - 1;
  while ((kinds[last] ?? 0) & Kind.continuation) last--;
  return last > start ? last : end;
}

function endOfRun(kinds: Uint8Array, start: number, allowed: number): number {
  let at = start;
  while ((kinds[at] ?? 0) & allowed) at++;
  return at;
}

function endOfCharacter(kinds: Uint8Array, start: number): number {
  return endOfRun(kinds, start + 1, Kind.continuation);
}

function isLineBreak(byte: number | undefined): boolean {
  return byte === LINE_FEED || byte === CARRIAGE_RETURN;
}
