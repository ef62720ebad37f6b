import { eventLoopShare } from '../event-loop/event-loop-share.js';
import type { CountsUnderWay } from './counts-under-way.js';
import { type CharacterKinds, classifyCharacters, unclassified } from './pieces/character-kinds.js';
import { PIECE_AT_ONCE } from './pieces/count-piece.js';
import { countLongPiece } from './pieces/long-piece.js';
import type { RecentTokens } from './pieces/recent-tokens.js';
import type { EndOfPiece } from './pieces/split-pieces.js';
import { endOfChunk, segmentsOf } from './seams.js';
import { digestOf, type TextMemo } from './text-memo.js';
import type { Vocabulary } from './vocabulary.js';

/** UTF-16 units encoded at a time. */
const SEGMENT = 64 * 1024;
/** Below this many UTF-16 units, or bytes, counting is about as cheap as looking up the digest. */
export const MEMORABLE = 48;
/** Reading a text once, for its digest or its seams, costs about this part of counting it. */
export const READING = 1 / 16;
/** Classifying a character costs about this part of counting it; so many bytes are classified at a time. */
const CLASSIFYING = 1 / 8;
const CLASSIFIED_AT_ONCE = 256 * 1024;
/** Bytes counted between two looks at the limit and the share of the event loop. */
const SLICE = 8 * 1024;

const encoder = new TextEncoder();

/** UTF-16 units of a text that is counted at once, and bytes: nearly all chunks have no more. */
const UNITS_AT_ONCE = 1024;
const BYTES_AT_ONCE = 4 * UNITS_AT_ONCE;
/** What is counted at once, and the kinds of its characters, to which one more is added. Only in use during one call. */
const bytesAtOnce = new Uint8Array(BYTES_AT_ONCE);
const kindsAtOnce = new Uint8Array(BYTES_AT_ONCE + 1);

/** What of an encoding decides how a text is counted. */
export interface EncodingTables {
  readonly vocabulary: Vocabulary;
  readonly pieces: RecentTokens;
  readonly endOfPiece: EndOfPiece;
  /** What has been counted already. */
  readonly memo: TextMemo;
  readonly underWay: CountsUnderWay;
}

export interface CountBounds {
  /** The count gives up as soon as there are more tokens than this. */
  readonly limit: number;
  /** Its reason is thrown when it fires. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Tokens of a short text, without a turn of its own: most observations and files are short, and a promise for each step of
 * the way would take more than the count. Undefined if the text or a piece of it is too long for that, or the share is used up.
 */
export function countAtOnce(
  encoding: EncodingTables,
  text: string,
  signal: AbortSignal | undefined,
): number | undefined {
  if (text.length > UNITS_AT_ONCE) return undefined;
  const { written } = encoder.encodeInto(text, bytesAtOnce);
  return countBytesAtOnce(encoding, bytesAtOnce.subarray(0, written), signal);
}

function countBytesAtOnce(
  encoding: EncodingTables,
  bytes: Uint8Array,
  signal: AbortSignal | undefined,
): number | undefined {
  const { length } = bytes;
  if (length > BYTES_AT_ONCE || !eventLoopShare.takeNow(length * (1 + CLASSIFYING), signal)) return undefined;
  kindsAtOnce[length] = 0;
  const characters = { bytes, kinds: kindsAtOnce };
  classifyCharacters(characters, 0, length);
  const { tokens, longPieceEnd } = countSlice(encoding, characters, 0);
  return longPieceEnd === undefined ? tokens : undefined;
}

/** Tokens of the text, or some number above the limit. */
export async function countText(
  encoding: EncodingTables,
  text: string,
  { limit, signal }: CountBounds,
): Promise<number> {
  // A UTF-16 unit is at least one byte, and no token has more bytes than the longest.
  const fewest = Math.ceil(text.length / encoding.vocabulary.longestToken);
  if (fewest > limit) return fewest;
  let tokens = 0;
  for (const segment of segmentsOf(text, SEGMENT)) {
    await eventLoopShare.take(segment.length * READING, signal);
    // Lone surrogates become U+FFFD, as they do when the text is sent.
    tokens += await countBytes(encoding, encoder.encode(segment), { limit: limit - tokens, signal });
    if (tokens > limit) break;
  }
  return tokens;
}

async function countBytes(
  encoding: EncodingTables,
  bytes: Uint8Array,
  { limit, signal }: CountBounds,
): Promise<number> {
  let tokens = 0;
  for (let at = 0; at < bytes.length && tokens <= limit; ) {
    const end = endOfChunk(bytes, at);
    tokens += await countChunk(encoding, bytes.subarray(at, end), { limit: limit - tokens, signal });
    at = end;
  }
  return tokens;
}

/** Only what is new of a text is counted: two cuts of one file share most of their chunks, and so do two steps of a run. */
async function countChunk(encoding: EncodingTables, bytes: Uint8Array, bounds: CountBounds): Promise<number> {
  if (bytes.length < MEMORABLE) return countNew(encoding, bytes, bounds);
  await eventLoopShare.take(bytes.length * READING, bounds.signal);
  const key = digestOf(bytes);
  const known = encoding.memo.recall(key);
  if (known !== undefined) return known;
  const tokens =
    countBytesAtOnce(encoding, bytes, bounds.signal) ?? (await countNew(encoding, bytes, bounds));
  if (tokens <= bounds.limit) encoding.memo.remember(key, tokens);
  return tokens;
}

async function countNew(
  encoding: EncodingTables,
  bytes: Uint8Array,
  { limit, signal }: CountBounds,
): Promise<number> {
  const text = await classify(bytes, signal);
  let tokens = 0;
  for (let at = 0; at < bytes.length && tokens <= limit; ) {
    await eventLoopShare.take(Math.min(SLICE, bytes.length - at), signal);
    const slice = countSlice(encoding, text, at);
    tokens += slice.tokens;
    at = slice.end;
    if (slice.longPieceEnd !== undefined) {
      const piece = bytes.subarray(at, slice.longPieceEnd);
      tokens += await countLongPiece(encoding.vocabulary, piece, { limit: limit - tokens, signal });
      at = slice.longPieceEnd;
    }
  }
  return tokens;
}

async function classify(bytes: Uint8Array, signal: AbortSignal | undefined): Promise<CharacterKinds> {
  await eventLoopShare.take(bytes.length * CLASSIFYING, signal);
  const characters = unclassified(bytes);
  for (let at = 0; ; ) {
    at = classifyCharacters(characters, at, at + CLASSIFIED_AT_ONCE);
    if (at >= bytes.length) return characters;
    await eventLoopShare.take(CLASSIFIED_AT_ONCE * CLASSIFYING, signal);
  }
}

interface Slice {
  readonly tokens: number;
  readonly end: number;
  /** Set when a piece follows that is too long to be counted at once. */
  readonly longPieceEnd?: number;
}

function countSlice({ pieces, endOfPiece }: EncodingTables, text: CharacterKinds, start: number): Slice {
  const { bytes } = text;
  const words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const stop = Math.min(start + SLICE, bytes.length);
  let tokens = 0;
  let at = start;
  while (at < stop) {
    const end = endOfPiece(text, at);
    if (end - at > PIECE_AT_ONCE) return { tokens, end: at, longPieceEnd: end };
    tokens += pieces.count(bytes, words, at, end);
    at = end;
  }
  return { tokens, end: at };
}
