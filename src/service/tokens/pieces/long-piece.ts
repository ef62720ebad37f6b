import { eventLoopShare } from '../../event-loop/event-loop-share.js';
import { untilAborted } from '../../event-loop/until-aborted.js';
import { NO_RANK, type Vocabulary } from '../vocabulary.js';
import { PairQueue } from './pair-queue.js';

/** Steps of a merge between two looks at the share of the event loop; each costs about two units of it. */
const STEPS = 4 * 1024;
const WORK_PER_STEP = 2;

/** Hardly a text has pieces of this many bytes but one made for it. A merge holds up to 21 bytes of memory per byte. */
const HUGE = 8 * 1024;
let hugePieces: Promise<unknown> = Promise.resolve();

/**
 * Tokens of a piece that no token covers whole, in n log n steps spread over turns of the event loop. Huge pieces wait
 * for one another, so that many of them at once need the memory of one. Throws the signal's reason when it fires.
 */
export function countLongPiece(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<number> {
  const merge = (): Promise<number> => mergeInTurns(vocabulary, bytes, signal);
  if (bytes.length < HUGE) return merge();
  const counted = hugePieces.then(merge, merge);
  hugePieces = counted;
  return signal ? untilAborted(counted, signal) : counted;
}

async function mergeInTurns(
  vocabulary: Vocabulary,
  bytes: Uint8Array,
  signal: AbortSignal | undefined,
): Promise<number> {
  signal?.throwIfAborted();
  const piece = new LongPiece(vocabulary, bytes);
  for (let complete = false; !complete; ) {
    await eventLoopShare.take(STEPS * WORK_PER_STEP, signal);
    complete = piece.advance(STEPS);
  }
  return piece.parts;
}

/**
 * The merge of one piece as an interruptible computation. Parts are told by their lengths; a queue holds the adjacent
 * pairs that are tokens. Outdated pairs stay in the queue and are skipped.
 */
class LongPiece {
  readonly #vocabulary: Vocabulary;
  readonly #bytes: Uint8Array;
  /** The length of a part, at its first byte and at its last: so its neighbours find it. No token has 256 bytes. */
  readonly #lengths: Uint8Array;
  /**
   * By the first byte of a part: one more than the rank of the pair it begins. 0 is no pair, so that the new array need
   * not be filled: to touch all of it at once would hold the event loop.
   */
  readonly #ranks: Int32Array;
  readonly #queue: PairQueue;
  #listed = 0;
  #parts: number;

  constructor(vocabulary: Vocabulary, bytes: Uint8Array) {
    const size = bytes.length;
    this.#vocabulary = vocabulary;
    this.#bytes = bytes;
    this.#lengths = new Uint8Array(size);
    this.#ranks = new Int32Array(size);
    // A merge takes one pair out and adds at most two, and there are fewer merges than bytes.
    this.#queue = new PairQueue(2 * size);
    this.#parts = size;
  }

  /** As many as there are tokens, once `advance` has returned true. */
  get parts(): number {
    return this.#parts;
  }

  /** Does up to `steps` steps; true when nothing is left to merge. */
  advance(steps: number): boolean {
    let left = steps;
    for (; left > 0 && this.#listed < this.#bytes.length; left--) this.#list(this.#listed++);
    for (; left > 0 && this.#queue.size > 0; left--) {
      const { rank, position } = this.#queue.pop();
      if (this.#ranks[position] === rank + 1) this.#merge(position);
    }
    return left > 0;
  }

  /** Every byte begins as a part of its own. */
  #list(position: number): void {
    this.#lengths[position] = 1;
    if (position + 2 <= this.#bytes.length) this.#rankPair(position, position + 2);
  }

  /** Joins the part at `position` with the next one, and ranks the pairs it now begins and ends. */
  #merge(position: number): void {
    const lengths = this.#lengths;
    const absorbed = position + (lengths[position] ?? 0);
    const next = absorbed + (lengths[absorbed] ?? 0);
    this.#parts--;
    lengths[position] = next - position;
    lengths[next - 1] = next - position;
    this.#ranks[absorbed] = 0;
    this.#ranks[position] = 0;
    if (next < this.#bytes.length) this.#rankPair(position, next + (lengths[next] ?? 0));
    if (position > 0) this.#rankPair(position - (lengths[position - 1] ?? 0), next);
  }

  #rankPair(position: number, end: number): void {
    const possible = end - position <= this.#vocabulary.longestToken;
    const rank = possible ? this.#vocabulary.rankOf(this.#bytes, position, end) : NO_RANK;
    this.#ranks[position] = rank === NO_RANK ? 0 : rank + 1;
    if (rank !== NO_RANK) this.#queue.push(rank, position);
  }
}
