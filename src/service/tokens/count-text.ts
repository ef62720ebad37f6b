import { eventLoopShare } from '../event-loop/event-loop-share.js';
import { type CharacterKinds, classifyCharacters, encodeCharacters } from './pieces/character-kinds.js';
import { countPiece, PIECE_AT_ONCE } from './pieces/count-piece.js';
import { countLongPiece } from './pieces/long-piece.js';
import type { EndOfPiece } from './pieces/split-pieces.js';
import { segmentsOf } from './seams.js';
import type { Vocabulary } from './vocabulary.js';

/** UTF-16 units encoded and classified at a time. */
const SEGMENT = 16 * 1024;
/** Classifying a character costs about this part of counting it; so many bytes are classified at a time. */
const CLASSIFYING = 1 / 8;
const CLASSIFIED_AT_ONCE = 256 * 1024;
/** Bytes counted between two looks at the limit and the share of the event loop. */
const SLICE = 8 * 1024;

/** What of an encoding decides how a text is counted. */
export interface EncodingTables {
  readonly vocabulary: Vocabulary;
  readonly endOfPiece: EndOfPiece;
}

export interface CountBounds {
  /** The count gives up as soon as there are more tokens than this. */
  readonly limit: number;
  /** Its reason is thrown when it fires. */
  readonly signal?: AbortSignal | undefined;
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
    const characters = await classify(segment, signal);
    tokens += await countSegment(encoding, characters, { limit: limit - tokens, signal });
    if (tokens > limit) break;
  }
  return tokens;
}

async function classify(segment: string, signal: AbortSignal | undefined): Promise<CharacterKinds> {
  await eventLoopShare.take(segment.length * CLASSIFYING, signal);
  const characters = encodeCharacters(segment);
  const { length } = characters.bytes;
  for (let at = 0; ; ) {
    at = classifyCharacters(characters, at, at + CLASSIFIED_AT_ONCE);
    if (at >= length) return characters;
    await eventLoopShare.take(CLASSIFIED_AT_ONCE * CLASSIFYING, signal);
  }
}

async function countSegment(
  encoding: EncodingTables,
  text: CharacterKinds,
  { limit, signal }: CountBounds,
): Promise<number> {
  const { bytes } = text;
  let tokens = 0;
  for (let at = 0; at < bytes.length && tokens <= limit; ) {
    await eventLoopShare.take(Math.min(SLICE, bytes.length - at), signal);
    const slice = countSlice(encoding, text, at);
    tokens += slice.tokens;
    at = slice.end;
    if (slice.longPieceEnd !== undefined) {
      tokens += await countLongPiece(encoding.vocabulary, bytes.subarray(at, slice.longPieceEnd), signal);
      at = slice.longPieceEnd;
    }
  }
  return tokens;
}

interface Slice {
  readonly tokens: number;
  readonly end: number;
  /** Set when a piece follows that is too long to be counted at once. */
  readonly longPieceEnd?: number;
}

function countSlice({ vocabulary, endOfPiece }: EncodingTables, text: CharacterKinds, start: number): Slice {
  const stop = Math.min(start + SLICE, text.bytes.length);
  let tokens = 0;
  let at = start;
  while (at < stop) {
    const end = endOfPiece(text, at);
    if (end - at > PIECE_AT_ONCE) return { tokens, end: at, longPieceEnd: end };
    tokens += countPiece(vocabulary, text.bytes, at, end);
    at = end;
  }
  return { tokens, end: at };
}
