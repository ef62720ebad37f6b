import { yieldIfBusy } from '../../event-loop/yield-if-busy.js';
import type { Vocabulary } from '../vocabulary.js';
import { PieceMerge } from './piece-merge.js';

/** Number of bytes merged at once, which takes about a millisecond. */
const WINDOW_BYTES = 4 * 1024;
/**
 * Minimum distance from a window's end within which tokens are ignored, since the bytes after the window may change
 * them. No token is longer than this.
 */
const MIN_MARGIN_BYTES = 128;

/**
 * Merges the windows of ordinary size. All calls can share it, because a window is merged without yielding and no state
 * is kept between windows.
 */
const windows = new PieceMerge(WINDOW_BYTES);

/**
 * Returns the number of tokens of a piece that is longer than one token, or some number above the limit. Takes linear
 * time and the memory of one window. Throws the signal's reason once it is aborted.
 *
 * A sequence of tokens is the result of merging its bytes exactly if this is true for every two adjacent tokens
 * (Neubeck and van Antwerpen, "So many tokens, so little time", 2024). So the windows of a piece are merged one by one,
 * each beginning where a token of the previous window ends. Two windows fit together if merging the bytes of the two
 * tokens at their seam results in these two tokens.
 */
export async function countLongPiece(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  { limit, signal }: { readonly limit: number; readonly signal?: AbortSignal | undefined },
): Promise<number> {
  let tokens = 0;
  let start = 0;
  let ends = await mergeWindow(vocabulary, bytes.subarray(0, WINDOW_BYTES), signal);
  while (start + lengthOf(ends) < bytes.length && tokens <= limit) {
    const size = lengthOf(ends);
    const next = await nextWindow(vocabulary, bytes.subarray(start), ends, signal);
    if (next) {
      tokens += next.before;
      start += next.start;
      ends = next.ends;
    } else {
      // The window is too short: its last bytes change tokens far before them. A longer window may end at a better
      // place.
      ends = await mergeWindow(vocabulary, bytes.subarray(start, start + 2 * size), signal);
    }
  }
  return tokens + ends.length;
}

/** The ends of a window's tokens, as offsets from the window's beginning. */
type Ends = Int32Array;

const lengthOf = (ends: Ends): number => ends[ends.length - 1] ?? 0;

async function mergeWindow(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<Ends> {
  await yieldIfBusy(signal);
  const merge = bytes.length <= WINDOW_BYTES ? windows : new PieceMerge(bytes.length);
  return merge.run(vocabulary, bytes);
}

interface NextWindow {
  /** Number of tokens of the previous window that end at or before the beginning of this one. */
  readonly before: number;
  readonly start: number;
  readonly ends: Ends;
}

/**
 * Merges the next window, which begins inside the previous one. Returns undefined if the two do not fit together at any
 * tried position.
 */
async function nextWindow(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  ends: Ends,
  signal: AbortSignal | undefined,
): Promise<NextWindow | undefined> {
  for (let margin = MIN_MARGIN_BYTES; margin < lengthOf(ends); margin *= 2) {
    const before = tokensWithin(ends, lengthOf(ends) - margin);
    if (before === 0) return undefined;
    const start = ends[before - 1] ?? 0;
    const next = await mergeWindow(vocabulary, bytes.subarray(start, start + WINDOW_BYTES), signal);
    const seam = { from: ends[before - 2] ?? 0, at: start, to: start + (next[0] ?? 0) };
    if (belongTogether(vocabulary, bytes, seam)) return { before, start, ends: next };
  }
  return undefined;
}

/** Counts the tokens that end at or before `length`. */
function tokensWithin(ends: Ends, length: number): number {
  let count = ends.length;
  while (count > 0 && (ends[count - 1] ?? 0) > length) count--;
  return count;
}

/** Returns whether merging the bytes of two adjacent tokens results in these two tokens again. */
function belongTogether(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  { from, at, to }: { from: number; at: number; to: number },
): boolean {
  const ends = windows.run(vocabulary, bytes.subarray(from, to));
  return ends.length === 2 && ends[0] === at - from;
}
