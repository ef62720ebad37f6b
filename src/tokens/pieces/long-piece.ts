import { yieldIfBusy } from '../../event-loop/yield-if-busy.js';
import type { Vocabulary } from '../vocabulary.js';
import { PieceMerge } from './piece-merge.js';

/** Bytes merged in one go: about a millisecond. */
const WINDOW_BYTES = 4 * 1024;
/** The tokens in so many bytes before the end of a window are not trusted at first; no token is longer. */
const MIN_MARGIN_BYTES = 128;

/** Shared by all windows of the ordinary size: each is merged in one go, and nothing of it is kept. */
const windows = new PieceMerge(WINDOW_BYTES);

/**
 * Returns the number of tokens of a piece that no token covers whole, or some number above the limit: in time that grows
 * with its length, in the memory of one window. Throws the signal's reason once it is aborted.
 *
 * A row of tokens is the merge of its bytes exactly if each two adjacent ones are the merge of theirs (Neubeck and van
 * Antwerpen, "So many tokens, so little time", 2024). So the windows of a piece are merged one by one, the next beginning
 * where a token of the one before ends, and they belong together if the two tokens at the seam do.
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
      // The bytes at the end of the window decide about tokens far back: a longer one ends elsewhere.
      ends = await mergeWindow(vocabulary, bytes.subarray(start, start + 2 * size), signal);
    }
  }
  return tokens + ends.length;
}

/** The places where the tokens of a window end, counted from its beginning. */
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
  /** Tokens of the window before that end at its beginning. */
  readonly before: number;
  readonly start: number;
  readonly ends: Ends;
}

/** Merges the window that follows one that ends in the middle of the piece; returns undefined if it finds no seam. */
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

/** Counts the tokens that end at `length` or before. */
function tokensWithin(ends: Ends, length: number): number {
  let count = ends.length;
  while (count > 0 && (ends[count - 1] ?? 0) > length) count--;
  return count;
}

/** Checks that the bytes of two adjacent tokens are merged to these two. */
function belongTogether(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  { from, at, to }: { from: number; at: number; to: number },
): boolean {
  const ends = windows.run(vocabulary, bytes.subarray(from, to));
  return ends.length === 2 && ends[0] === at - from;
}
