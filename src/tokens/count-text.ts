import { yieldIfBusy } from '../event-loop/yield-if-busy.js';
import { CountCache } from './count-cache.js';
import { type CharacterKinds, classifyCharacters } from './pieces/character-kinds.js';
import { countLongPiece } from './pieces/long-piece.js';
import { countShortPiece, MAX_SHORT_PIECE_BYTES } from './pieces/short-piece.js';
import type { EndOfPiece } from './pieces/split-pieces.js';
import { endOfChunk } from './seams.js';
import type { Vocabulary } from './vocabulary.js';

/** Minimum length of a text whose count is cached. Counting a shorter one is about as cheap as hashing it. */
const MIN_CACHED_BYTES = 48;
/** Number of bytes counted between two checks of the clock and the limit: a fraction of a millisecond. */
const SLICE_BYTES = 8 * 1024;

const encoder = new TextEncoder();

/** All data that counting by one encoding needs. */
export interface EncodingTables {
  readonly vocabulary: Vocabulary;
  readonly endOfPiece: EndOfPiece;
  readonly cache: CountCache;
}

export interface CountBounds {
  /** Counting stops as soon as the count exceeds this number. */
  readonly limit: number;
  /** Once this signal is aborted, counting throws its reason. */
  readonly signal?: AbortSignal | undefined;
}

/** Returns the number of tokens of the text, or some number above the limit if it has more tokens than that. */
export async function countText(
  encoding: EncodingTables,
  text: string,
  { limit, signal }: CountBounds,
): Promise<number> {
  await yieldIfBusy(signal);
  // A UTF-16 code unit takes at least one byte, and no token has more bytes than the longest.
  const { longestToken } = encoding.vocabulary;
  if (text.length > limit * longestToken) return Math.ceil(text.length / longestToken);
  // The encoder replaces lone surrogates by U+FFFD, which also happens when the text is sent.
  const bytes = encoder.encode(text);
  if (bytes.length > limit * longestToken) return Math.ceil(bytes.length / longestToken);
  let tokens = 0;
  for (let start = 0; start < bytes.length && tokens <= limit; ) {
    const pause = yieldIfBusy(signal);
    if (pause) await pause; // A promise per cached chunk would cost more than the chunk.
    const end = endOfChunk(bytes, start);
    const chunk = countChunk(encoding, bytes.subarray(start, end), { limit: limit - tokens, signal });
    tokens += typeof chunk === 'number' ? chunk : await chunk;
    start = end;
  }
  return tokens;
}

/**
 * Counts a chunk, or returns its cached count. Two versions of a file share most of their chunks, and so do two steps
 * of a run.
 */
function countChunk(
  encoding: EncodingTables,
  bytes: Uint8Array,
  bounds: CountBounds,
): number | Promise<number> {
  if (bytes.length < MIN_CACHED_BYTES) return countBytes(encoding, bytes, bounds);
  const key = CountCache.keyOf(bytes);
  return encoding.cache.get(key) ?? countAndCache(encoding, bytes, { ...bounds, key });
}

async function countAndCache(
  encoding: EncodingTables,
  bytes: Uint8Array,
  { key, ...bounds }: CountBounds & { readonly key: string },
): Promise<number> {
  const tokens = await countBytes(encoding, bytes, bounds);
  if (tokens <= bounds.limit) encoding.cache.set(key, tokens);
  return tokens;
}

async function countBytes(
  encoding: EncodingTables,
  bytes: Uint8Array,
  { limit, signal }: CountBounds,
): Promise<number> {
  await yieldIfBusy(signal);
  const text = classifyCharacters(bytes);
  let tokens = 0;
  for (let start = 0; start < bytes.length && tokens <= limit; ) {
    await yieldIfBusy(signal);
    const slice = countSlice(encoding, text, start);
    tokens += slice.tokens;
    start = slice.end;
    if (slice.longPieceEnd === undefined) continue;
    const longPiece = bytes.subarray(start, slice.longPieceEnd);
    tokens += await countLongPiece(encoding.vocabulary, longPiece, { limit: limit - tokens, signal });
    start = slice.longPieceEnd;
  }
  return tokens;
}

interface Slice {
  readonly tokens: number;
  readonly end: number;
  /** End of the next piece, if it is too long to be merged at once. */
  readonly longPieceEnd?: number;
}

function countSlice({ vocabulary, endOfPiece }: EncodingTables, text: CharacterKinds, start: number): Slice {
  const stop = Math.min(start + SLICE_BYTES, text.bytes.length);
  let tokens = 0;
  let at = start;
  while (at < stop) {
    const end = endOfPiece(text, at);
    if (end - at > MAX_SHORT_PIECE_BYTES) return { tokens, end: at, longPieceEnd: end };
    tokens += countShortPiece(vocabulary, text.bytes, at, end);
    at = end;
  }
  return { tokens, end: at };
}
