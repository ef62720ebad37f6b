import { eventLoopShare } from '../../../event-loop/event-loop-share.js';
import type { TokenCounter } from '../../../tokens/token-counter.js';
import { tokensWithin } from '../cutting/cut-lines.js';
import { type FittedText, keyOf } from '../cutting/cut-source.js';
import { cutSourceOf, type Piece } from './pieces.js';

/** Tokens that pieces take in the prompt with nothing cut away, each counted once. */
export interface Sizes {
  /** Infinite where it is more than the limit, or where too much has been counted already. */
  ofEach(pieces: readonly Piece[]): Promise<number[]>;
  /** The whole size for the report, even above the limit; null if counting it would cost too much. */
  ofAll(piece: Piece): number | null | Promise<number>;
  /** A piece as it was rendered to be counted, if that was kept. */
  renderedWhole(piece: Piece): FittedText | undefined;
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
  const rendered = new Map<Piece, FittedText>();
  let tokensLeft = limit * COUNTED_PER_LIMIT;
  let charactersLeft = REPORTED_CHARACTERS;
  let roomLeft = limit;
  /** As long as all of them have room they are going to be sent, and need not be rendered again. */
  const keep = (piece: Piece, whole: FittedText): void => {
    roomLeft -= whole.tokens;
    if (roomLeft >= 0) rendered.set(piece, whole);
  };
  const count = async (piece: Piece): Promise<number> => {
    const source = cutSourceOf(piece);
    if (tokensLeft <= 0) return Number.POSITIVE_INFINITY;
    const tokens = await tokensWithin(source, { limit, counter, keep: (whole) => keep(piece, whole) });
    tokensLeft -= Math.min(tokens, limit);
    known.set(keyOf(source), tokens);
    return tokens;
  };
  return {
    async ofEach(pieces) {
      const sizes: number[] = [];
      for (const piece of pieces) {
        const pause = eventLoopShare.take(PIECE_WORK);
        if (pause) await pause;
        // One after another: the allowance is spent in order.
        sizes.push(known.get(keyOf(cutSourceOf(piece))) ?? (await count(piece)));
      }
      return sizes;
    },
    renderedWhole: (piece) => rendered.get(piece),
    ofAll(piece) {
      const source = cutSourceOf(piece);
      const tokens = known.get(keyOf(source)) ?? Number.POSITIVE_INFINITY;
      if (Number.isFinite(tokens)) return tokens;
      charactersLeft -= piece.text.length;
      if (charactersLeft < 0) return null;
      return tokensWithin(source, { limit: Number.POSITIVE_INFINITY, counter });
    },
  };
}
