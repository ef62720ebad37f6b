import { eventLoopShare } from '../../event-loop/event-loop-share.js';
import type { Vocabulary } from '../vocabulary.js';
import { PieceMerge } from './piece-merge.js';

/** Bytes merged in one go: about a millisecond. */
const WINDOW = 4 * 1024;
/** Merging a byte books so much of the event loop. */
const WORK_PER_BYTE = 4;
/** Bytes before the end of a window in which its tokens are not trusted at first; no token is longer. */
const LEAST_MARGIN = 128;

/** One for all windows of the ordinary size: each is merged in one go, and nothing of it is kept. */
const windows = new PieceMerge(WINDOW);

/**
 * Tokens of a piece that no token covers whole, or some number above the limit: in steps that grow with its length, and in
 * the memory of one window. Throws the signal's reason when it fires.
 *
 * A row of tokens is the merge of its bytes exactly if each two neighbours are the merge of theirs (Neubeck and van
 * Antwerpen, "So many tokens, so little time", 2024). So windows of a piece are merged one by one, the next beginning where a
 * token of the one before ends, and they belong together if the two tokens at the seam do.
 */
export async function countLongPiece(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  { limit, signal }: { readonly limit: number; readonly signal?: AbortSignal | undefined },
): Promise<number> {
  let tokens = 0;
  let start = 0;
  let ends = await mergeWindow(vocabulary, bytes.subarray(0, WINDOW), signal);
  while (start + lengthOf(ends) < bytes.length && tokens <= limit) {
    const size = lengthOf(ends);
    const next = await nextWindow(vocabulary, bytes.subarray(start), ends, signal);
    if (next) {
      tokens += next.before;
      start += next.start;
      ends = next.ends;
    } else {
      // What the end of the window changed reaches far back: a longer one has its end elsewhere.
      ends = await mergeWindow(vocabulary, bytes.subarray(start, start + 2 * size), signal);
    }
  }
  return tokens + ends.length;
}

/** Where the tokens of a window end, counted from its beginning. */
type Ends = Int32Array;

const lengthOf = (ends: Ends): number => ends[ends.length - 1] ?? 0;

async function mergeWindow(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<Ends> {
  await eventLoopShare.take(bytes.length * WORK_PER_BYTE, signal);
  const merge = bytes.length <= WINDOW ? windows : new PieceMerge(bytes.length);
  return merge.run(vocabulary, bytes);
}

interface NextWindow {
  /** Tokens of the window before that end at its beginning. */
  readonly before: number;
  readonly start: number;
  readonly ends: Ends;
}

/** The window that takes over from one that ends in the middle of the piece; undefined if no seam is found. */
async function nextWindow(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  ends: Ends,
  signal: AbortSignal | undefined,
): Promise<NextWindow | undefined> {
  for (let margin = LEAST_MARGIN; margin < lengthOf(ends); margin *= 2) {
    const before = tokensWithin(ends, lengthOf(ends) - margin);
    if (before === 0) return undefined;
    const start = ends[before - 1] ?? 0;
    const next = await mergeWindow(vocabulary, bytes.subarray(start, start + WINDOW), signal);
    const seam = { from: ends[before - 2] ?? 0, at: start, to: start + (next[0] ?? 0) };
    if (belongTogether(vocabulary, bytes, seam)) return { before, start, ends: next };
  }
  return undefined;
}

/** How many of the tokens end at `length` or before. */
function tokensWithin(ends: Ends, length: number): number {
  let count = ends.length;
  while (count > 0 && (ends[count - 1] ?? 0) > length) count--;
  return count;
}

/** Whether two neighbouring tokens are what their bytes are merged to. */
function belongTogether(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  { from, at, to }: { from: number; at: number; to: number },
): boolean {
  const ends = windows.run(vocabulary, bytes.subarray(from, to));
  return ends.length === 2 && ends[0] === at - from;
}
