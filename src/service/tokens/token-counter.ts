import { eventLoopShare } from '../event-loop/event-loop-share.js';
import { type CountBounds, countText, MEMORABLE, READING } from './count-text.js';
import { type Encoding, loadEncoding, loadedEncoding } from './encodings.js';
import { joinUnsafeSeams } from './seams.js';
import { digestOf } from './text-memo.js';

/**
 * Counts the tokens of the texts of one step. No method holds the event loop, whatever the text; each throws the reason
 * of the step's signal once that has fired.
 */
export interface TokenCounter {
  readonly encoding: Encoding;
  /** `estimated`: the encoding is not the model's own, and a margin is added. */
  readonly counting: 'exact' | 'estimated';
  /** Tokens of the text, sent as ordinary text: `<|endoftext|>` and the like have no special meaning. */
  count(text: string): Promise<number>;
  /**
   * Tokens of the text, or undefined if they are more than `limit`: then the cost is that of the limit, not of the text.
   * A text may come with a key for it, such as the digest of what it was made of; then it need not be digested itself.
   */
  countWithin(text: string, limit: number, key?: string): Promise<number | undefined>;
  /** Tokens of the pieces sent as one string; pieces that have been counted alone need not be counted again. */
  countJoined(pieces: readonly string[]): Promise<number>;
  /**
   * What `countJoined` comes to, where that needs no counting; else undefined. At once: a promise for each text would cost
   * more than a text that comes again. Books nothing of the event loop.
   */
  recall(pieces: readonly string[]): number | undefined;
  /**
   * The number that `find` comes to, or came to in an earlier step. The key tells all that it depends on but for the way
   * this counter counts; of a text it holds the digest, never the text.
   */
  remembered(key: string, find: () => Promise<number>): Promise<number>;
}

/** A text of more UTF-16 units is worth a turn of its own, and is not looked up at once. */
const RECALLED_AT_ONCE = 64 * 1024;
/** A text of more UTF-16 units per allowed token than this hardly fits, and a count that stops early needs no memo. */
const LIKELY_UNITS_PER_TOKEN = 8;

/**
 * A counter for the texts of one step. Counters are cheap: tables and the memo of counts are shared by all of them.
 *
 * @param options.margin factor on every count, for models whose tokenizer is not public; 1, the default, is exact.
 * @param options.signal ends all counting when it fires (rule: one-deadline).
 */
export function createTokenCounter(
  encoding: Encoding,
  { margin = 1, signal }: { margin?: number; signal?: AbortSignal } = {},
): TokenCounter {
  const withMargin = (tokens: number): number => Math.ceil(tokens * margin);
  // A step asks for the same block several times. The texts are the step's own and go with its counter.
  const counted = new Map<string, number>();
  const recallExactly = (text: string, key?: string): number | undefined => {
    const known = counted.get(text);
    const isLong = text.length > RECALLED_AT_ONCE && key === undefined;
    if (known !== undefined || text.length < MEMORABLE || isLong) return known;
    const tokens = loadedEncoding(encoding)?.memo.recall(key ?? digestOf(text));
    if (tokens !== undefined) counted.set(text, tokens);
    return tokens;
  };
  const exactly = async (text: string, limit: number, key?: string): Promise<number> => {
    const known = recallExactly(text, key);
    if (known !== undefined) return known;
    const tokens = await countExactly(encoding, text, { limit, signal, key });
    if (tokens <= limit) counted.set(text, tokens);
    return tokens;
  };
  const recall = (pieces: readonly string[]): number | undefined => {
    let tokens = 0;
    for (const part of pieces.length === 1 ? pieces : joinUnsafeSeams(pieces)) {
      const known = recallExactly(part);
      if (known === undefined) return undefined;
      tokens += known;
    }
    return withMargin(tokens);
  };
  const countWithin = async (text: string, limit: number, key?: string): Promise<number | undefined> => {
    const tokens = withMargin(await exactly(text, Math.ceil(limit / margin), key));
    return tokens <= limit ? tokens : undefined;
  };
  return {
    encoding,
    counting: margin === 1 ? 'exact' : 'estimated',
    count: async (text) => withMargin(await exactly(text, Number.POSITIVE_INFINITY)),
    countWithin,
    countJoined: async (pieces) => {
      const known = recall(pieces);
      if (known !== undefined) return known;
      let tokens = 0;
      for (const part of joinUnsafeSeams(pieces)) {
        await eventLoopShare.take(part.length * READING, signal); // to find what has been counted reads it too
        tokens += await exactly(part, Number.POSITIVE_INFINITY);
      }
      return withMargin(tokens);
    },
    recall,
    remembered: (key, find) => recallOr(encoding, `${key} ${margin}`, find),
  };
}

/** Tokens of the text, or some number above `limit`. */
async function countExactly(
  encoding: Encoding,
  text: string,
  { key: given, ...bounds }: CountBounds & { readonly key: string | undefined },
): Promise<number> {
  const { limit, signal } = bounds;
  const loaded = loadedEncoding(encoding) ?? (await loadEncoding(encoding));
  await eventLoopShare.take(text.length * READING, signal);
  const memorable = text.length >= MEMORABLE && text.length <= limit * LIKELY_UNITS_PER_TOKEN;
  if (!memorable) return countText(loaded, text, bounds);
  const key = given ?? digestOf(text);
  const known = loaded.memo.recall(key);
  if (known !== undefined) return known;
  const tokens = await countText(loaded, text, bounds);
  if (tokens <= limit) loaded.memo.remember(key, tokens);
  return tokens;
}

async function recallOr(encoding: Encoding, key: string, find: () => Promise<number>): Promise<number> {
  const { memo } = loadedEncoding(encoding) ?? (await loadEncoding(encoding));
  const known = memo.recall(key);
  if (known !== undefined) return known;
  const found = await find();
  memo.remember(key, found);
  return found;
}
