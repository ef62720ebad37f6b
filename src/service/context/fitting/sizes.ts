import { eventLoopShare } from '../../event-loop/event-loop-share.js';
import type { TokenCounter } from '../../tokens/token-counter.js';
import { tokensWithin } from '../cutting/cut-lines.js';
import { keyOf } from '../cutting/cut-source.js';
import { cutSourceOf, type Piece } from './pieces.js';

/** Tokens that pieces take in the prompt with nothing cut away, each counted once. */
export interface Sizes {
  /** Infinite if it is more than the limit, or if too much has been counted already. */
  of(piece: Piece): Promise<number>;
  ofEach(pieces: readonly Piece[]): Promise<number[]>;
  /** The whole size for the report, even above the limit; null if counting it would cost too much. */
  ofAll(piece: Piece): Promise<number | null>;
}

/**
 * However much is asked for, counting stops: what does not fit anyway need not be known by the token. Both are
 * spent in the order of the items, so the same request always gets the same sizes.
 */
const COUNTED_PER_LIMIT = 8;
/** What asking for the size of a piece books of the event loop, counted or not. */
const PIECE_WORK = 64;
const REPORTED_CHARACTERS = 524_288;

export function sizesWithin(limit: number, counter: TokenCounter): Sizes {
  const known = new Map<string, number>();
  let tokensLeft = limit * COUNTED_PER_LIMIT;
  let charactersLeft = REPORTED_CHARACTERS;
  const of = async (piece: Piece): Promise<number> => {
    const source = cutSourceOf(piece);
    await eventLoopShare.take(PIECE_WORK);
    const before = known.get(keyOf(source));
    if (before !== undefined) return before;
    if (tokensLeft <= 0) return Number.POSITIVE_INFINITY;
    const tokens = await tokensWithin(source, limit, counter);
    tokensLeft -= Math.min(tokens, limit);
    known.set(keyOf(source), tokens);
    return tokens;
  };
  return {
    of,
    async ofEach(pieces) {
      const sizes: number[] = [];
      for (const piece of pieces) sizes.push(await of(piece)); // one after another: the allowance is spent in order
      return sizes;
    },
    async ofAll(piece) {
      const source = cutSourceOf(piece);
      await eventLoopShare.take(PIECE_WORK);
      const tokens = known.get(keyOf(source)) ?? Number.POSITIVE_INFINITY;
      if (Number.isFinite(tokens)) return tokens;
      charactersLeft -= piece.text.length;
      if (charactersLeft < 0) return null;
      return tokensWithin(source, Number.POSITIVE_INFINITY, counter);
    },
  };
}
