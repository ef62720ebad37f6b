import { NO_RANK, type Vocabulary } from '../vocabulary.js';

/**
 * Maximum length of a piece that `countShortPiece` accepts. Up to about this length, a linear search for the
 * lowest rank is faster than a queue. No token is longer than this.
 */
export const MAX_SHORT_PIECE_BYTES = 128;

/** A rank greater than every real rank. */
const NEVER = 0x7fffffff;

/**
 * Part p of the current piece is `[starts[p], starts[p + 1])`, and `ranks[p]` is the rank of the pair that begins with
 * it. Both arrays are valid only during one call.
 */
const starts = new Int32Array(MAX_SHORT_PIECE_BYTES + 1);
const ranks = new Int32Array(MAX_SHORT_PIECE_BYTES);

/**
 * Returns the number of tokens of a piece of at most MAX_SHORT_PIECE_BYTES. A piece in the vocabulary is one
 * token; otherwise merges the adjacent pair of lowest rank, leftmost first, until no pair of parts is a token. The
 * time is quadratic in the piece's length.
 */
export function countShortPiece(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  start: number,
  end: number,
): number {
  if (vocabulary.rankOf(bytes, start, end) !== NO_RANK) return 1;
  let parts = end - start;
  for (let part = 0; part <= parts; part++) starts[part] = start + part;
  for (let part = 0; part < parts; part++) rankPair(vocabulary, bytes, part, parts);
  for (let lowest = lowestPair(parts); ranks[lowest] !== NEVER; lowest = lowestPair(parts)) {
    parts--;
    for (let part = lowest + 1; part < parts; part++) {
      starts[part] = starts[part + 1] ?? 0;
      ranks[part] = ranks[part + 1] ?? 0;
    }
    starts[parts] = end;
    rankPair(vocabulary, bytes, lowest, parts);
    if (lowest > 0) rankPair(vocabulary, bytes, lowest - 1, parts);
  }
  return parts;
}

function rankPair(vocabulary: Vocabulary, bytes: Uint8Array, part: number, parts: number): void {
  const rank =
    part + 2 > parts ? NO_RANK : vocabulary.rankOf(bytes, starts[part] ?? 0, starts[part + 2] ?? 0);
  ranks[part] = rank === NO_RANK ? NEVER : rank;
}

function lowestPair(parts: number): number {
  let lowest = 0;
  for (let part = 1; part < parts; part++) if ((ranks[part] ?? 0) < (ranks[lowest] ?? 0)) lowest = part;
  return lowest;
}
