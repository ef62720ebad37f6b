import type { DigestedText } from './text-memo.js';

/**
 * Safe seams: places where a text can be cut and its parts counted alone, because the sum is exact. They are always
 * boundaries between pieces, in both encodings, and the part before them splits alike with and without the rest.
 * The rules look at one UTF-16 unit on either side and settle for ASCII, so they find many of these places, not all.
 */
const LINE_FEED = 0x0a;
const SPACE = 0x20;
const APOSTROPHE = 0x27;
const SLASH = 0x2f;
const LESS_THAN = 0x3c;
const DELETE = 0x7f;

/** Looked up once, as in `vocabulary.ts`. */
const { imul } = Math;

export function isSafeSeam(before: number, after: number): boolean {
  if (after > DELETE) return false;
  // Words and numbers go on with letters, marks, digits and contractions only.
  if (isAlphanumeric(before)) return !isAlphanumeric(after) && after !== APOSTROPHE;
  // After a line break no alternative goes on but with whitespace, or with `/` in o200k.
  if (before === LINE_FEED) return isVisible(after) && after !== SLASH;
  // Alternatives may begin with a space but, whitespace apart, never hold one later.
  return isVisible(before) && after === SPACE;
}

/** Cuts a text at safe seams into segments of about `size` UTF-16 units: longer only if there is no seam. */
export function* segmentsOf(text: string, size: number): Generator<string> {
  let start = 0;
  while (start < text.length) {
    let end = Math.min(start + size, text.length);
    for (let before = text.charCodeAt(end - 1); end < text.length; end++) {
      const after = text.charCodeAt(end);
      if (isSafeSeam(before, after)) break;
      before = after;
    }
    yield text.slice(start, end);
    start = end;
  }
}

/** Bytes. No chunk but a text's last is shorter; a long one ends at the next seam of any kind. */
const SHORTEST_CHUNK = 1024;
const LONG_CHUNK = 4096;
/** Of spaces after a visible character: one of 64 ends a chunk. */
const CHOICE_BITS = 6;

/**
 * The end of the chunk that begins at `start`: a safe seam, about two thousand bytes on if there is one. Which seam is
 * told by the few bytes around it, wherever in a text they stand: a text that was cut, edited or continued keeps
 * nearly all of its chunks.
 */
export function endOfChunk(bytes: Uint8Array, start: number): number {
  const { length } = bytes;
  let at = start + SHORTEST_CHUNK;
  for (const long = Math.min(start + LONG_CHUNK, length); at < long; at++) {
    if (bytes[at] === SPACE && isVisible(bytes[at - 1] ?? 0) && isChosen(bytes, at)) return at;
  }
  while (at < length && !isSafeSeam(bytes[at - 1] ?? 0, bytes[at] ?? 0)) at++;
  return Math.min(at, length);
}

/** By a hash of the two bytes on either side. */
function isChosen(bytes: Uint8Array, space: number): boolean {
  const before = ((bytes[space - 2] ?? 0) << 8) | (bytes[space - 1] ?? 0);
  const after = ((bytes[space + 1] ?? 0) << 8) | (bytes[space + 2] ?? 0);
  return imul((before << 16) | after, 0x9e3779b1) >>> (32 - CHOICE_BITS) === 0;
}

/** A text whose count is added to others', or taken from them. */
export interface Summand extends DigestedText {
  readonly isTaken?: boolean;
}

/**
 * Joins neighbours whose seam is not safe: the counts of the results come to the count of the whole. Of a long piece only the
 * end is joined, from its last safe seam on, and that end's own count is taken away: the piece need not be counted again. What
 * comes with a digest ends with a line break, and where it is not the first piece it is a fence, and so begins with `<`.
 */
export function joinUnsafeSeams(pieces: readonly DigestedText[]): Summand[] {
  const summands: Summand[] = [];
  let last: DigestedText | undefined;
  for (const piece of pieces) {
    if (piece.text === '') continue;
    if (last && !isSafeSeam(lastOf(last), firstOf(piece))) {
      const ends = endsAround(last, piece);
      if (!ends) {
        last = { text: last.text + piece.text };
        continue;
      }
      summands.push({ text: ends.join('') }, ...ends.map((text) => ({ text, isTaken: true })));
    }
    if (last) summands.push(last);
    last = piece;
  }
  return last ? [...summands, last] : summands;
}

/** UTF-16 units. A piece of fewer is joined, and a safe seam is looked for in as many. */
const LONG_PIECE = 1024;

/** What stands around a seam up to the next safe ones; undefined if it had better be joined. */
function endsAround(before: DigestedText, after: DigestedText): readonly [string, string] | undefined {
  if (Math.max(before.text.length, after.text.length) < LONG_PIECE) return undefined;
  const last = before.pieces?.at(-1) ?? before.text;
  const first = after.pieces?.[0] ?? after.text;
  const start = lastSeam(last);
  const end = firstSeam(first);
  return start === undefined || end === undefined ? undefined : [last.slice(start), first.slice(0, end)];
}

function firstSeam(text: string): number | undefined {
  const stop = Math.min(text.length, LONG_PIECE);
  for (let at = 1; at < stop; at++) if (isSafeSeam(text.charCodeAt(at - 1), text.charCodeAt(at))) return at;
  return undefined;
}

function lastSeam(text: string): number | undefined {
  const stop = Math.max(0, text.length - LONG_PIECE);
  for (let at = text.length - 1; at > stop; at--)
    if (isSafeSeam(text.charCodeAt(at - 1), text.charCodeAt(at))) return at;
  return undefined;
}

/** Not read where it is known: to look into a text that was put together would copy it. */
const firstOf = ({ text, digest }: DigestedText): number =>
  digest === undefined ? text.charCodeAt(0) : LESS_THAN;

const lastOf = ({ text, digest }: DigestedText): number =>
  digest === undefined ? text.charCodeAt(text.length - 1) : LINE_FEED;

function isAlphanumeric(code: number): boolean {
  return (code >= 0x30 && code <= 0x39) || isLetter(code | 0x20);
}

function isLetter(lowerCase: number): boolean {
  return lowerCase >= 0x61 && lowerCase <= 0x7a;
}

function isVisible(code: number): boolean {
  return code > SPACE && code < DELETE;
}
