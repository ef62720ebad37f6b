import { eventLoopShare } from '../../event-loop/event-loop-share.js';
import type { TokenCounter } from '../../tokens/token-counter.js';
import type { ContextItem } from '../context-item.js';
import { wholeText } from './cut-lines.js';
import { type Piece, renderCut } from './pieces.js';

/** Tokens that pieces take in the prompt, each rendered and counted once. */
export interface Sizes {
  /** The piece with nothing cut away, as it is sent. */
  render(piece: Piece): string;
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
  const render = rememberItems(renderWhole);
  let tokensLeft = limit * COUNTED_PER_LIMIT;
  let charactersLeft = REPORTED_CHARACTERS;
  const of = async (piece: Piece): Promise<number> => {
    await eventLoopShare.take(PIECE_WORK);
    const block = render(piece);
    const before = known.get(block);
    if (before !== undefined) return before;
    if (tokensLeft <= 0) return Number.POSITIVE_INFINITY;
    const tokens = await counter.countWithin(block, limit);
    tokensLeft -= tokens ?? limit;
    known.set(block, tokens ?? Number.POSITIVE_INFINITY);
    return tokens ?? Number.POSITIVE_INFINITY;
  };
  return {
    render,
    of,
    async ofEach(pieces) {
      const sizes: number[] = [];
      for (const piece of pieces) sizes.push(await of(piece)); // one after another: the allowance is spent in order
      return sizes;
    },
    async ofAll(piece) {
      await eventLoopShare.take(PIECE_WORK);
      const block = render(piece);
      const tokens = known.get(block) ?? Number.POSITIVE_INFINITY;
      if (Number.isFinite(tokens)) return tokens;
      charactersLeft -= block.length;
      return charactersLeft < 0 ? null : counter.count(block);
    },
  };
}

/** A piece is nearly always the whole of its item, and asked for again and again. */
function rememberItems(render: (piece: Piece) => string): (piece: Piece) => string {
  const blocks = new Map<ContextItem, string>();
  return (piece) => {
    if (piece.text !== piece.item.text || piece.firstLine !== piece.item.firstLine) return render(piece);
    const block = blocks.get(piece.item) ?? render(piece);
    blocks.set(piece.item, block);
    return block;
  };
}

function renderWhole(piece: Piece): string {
  return renderCut(piece.item, wholeText(piece));
}
