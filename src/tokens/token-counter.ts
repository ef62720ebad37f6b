import { eventLoopShare } from '../event-loop/event-loop-share.js';
import { type CountBounds, countAtOnce, countText, MEMORABLE, READING } from './count-text.js';
import { type Encoding, loadEncoding, loadedEncoding } from './encodings.js';
import { joinUnsafeSeams, type Summand } from './seams.js';
import { type DigestedText, digestOf } from './text-memo.js';

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
  /** Tokens of the text, or undefined if they are more than `limit`: then the cost is that of the limit, not of the text. */
  countWithin(text: DigestedText, limit: number): Promise<number | undefined>;
  /** Tokens of the text, or undefined if they are more than `limit`; costs no more than counting `limit` tokens. */
  fits(text: string, limit: number): Promise<number | undefined>;
  /** Tokens of messages as they are sent: each text by itself, and the framing of each message. */
  countMessages(messages: readonly CountedMessage[]): Promise<number>;
  /** Tokens of the pieces sent as one string; pieces that have been counted alone need not be counted again. */
  countJoined(pieces: readonly DigestedText[]): Promise<number>;
  /**
   * What `countJoined` comes to, where all of it has been counted or is short; else undefined. At once: a promise for each
   * text would cost more than a text that comes again.
   */
  recall(pieces: readonly DigestedText[]): number | undefined;
  /**
   * No fewer tokens than `countJoined` comes to, without counting: what is known by its digest is exact, of the rest each byte
   * of UTF-8 is taken for a token.
   */
  atMost(pieces: readonly DigestedText[]): Bound;
  /**
   * The number that `find` comes to, or came to in an earlier step. The key tells all that it depends on but for the way
   * this counter counts; of a text it holds the digest, never the text.
   */
  remembered(key: string, find: () => Promise<number>): Promise<number>;
}

/** What of a message is counted. */
export interface CountedMessage {
  /** Each is sent as one string. */
  readonly texts: readonly string[];
  /** Tokens that the provider puts around the texts. */
  readonly framing: number;
}

/** A number of tokens that is not exceeded. */
export interface Bound {
  readonly tokens: number;
  readonly isExact: boolean;
}

/** A text of more UTF-16 units is worth a turn of its own, and is not digested at once. */
const DIGESTED_AT_ONCE = 64 * 1024;
/** UTF-16 units of a text that is not counted twice at the same time. */
const LONG_TEXT = 4 * 1024;
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
  const counts = new StepCounts(encoding, signal);
  const recall = (pieces: readonly DigestedText[]): number | undefined => {
    let tokens = 0;
    for (const part of summandsOf(pieces)) {
      const known = counts.recall(part);
      if (known === undefined) return undefined;
      tokens += part.isTaken ? -known : known;
    }
    return withMargin(tokens);
  };
  return {
    encoding,
    counting: margin === 1 ? 'exact' : 'estimated',
    count: async (text) => withMargin(await counts.count({ text }, Number.POSITIVE_INFINITY)),
    countWithin: async (text, limit) => {
      const tokens = withMargin(await counts.count(text, Math.ceil(limit / margin)));
      return tokens <= limit ? tokens : undefined;
    },
    fits: async (text, limit) => {
      const tokens = withMargin(await counts.count({ text }, Math.ceil(limit / margin)));
      return tokens <= limit ? tokens : undefined;
    },
    countMessages: async (messages) => {
      let tokens = 0;
      for (const { texts, framing } of messages) {
        tokens += framing;
        for (const text of texts)
          tokens += withMargin(await counts.count({ text }, Number.POSITIVE_INFINITY));
      }
      return tokens;
    },
    countJoined: async (pieces) => {
      const known = recall(pieces);
      if (known !== undefined) return known;
      let tokens = 0;
      for (const part of joinUnsafeSeams(pieces)) {
        await eventLoopShare.take(part.text.length * READING, signal); // to find what has been counted reads it too
        const counted = await counts.count(part, Number.POSITIVE_INFINITY);
        tokens += part.isTaken ? -counted : counted;
      }
      return withMargin(tokens);
    },
    recall,
    atMost: (pieces) => {
      const { tokens, isExact } = boundOf(encoding, pieces);
      return { tokens: withMargin(tokens), isExact };
    },
    remembered: (key, find) => recallOr({ encoding, key: `${key} ${margin}`, signal }, find),
  };
}

/** Most texts stand alone. */
const summandsOf = (pieces: readonly DigestedText[]): readonly Summand[] =>
  pieces.length === 1 ? pieces : joinUnsafeSeams(pieces);

/** Exact counts of one step's texts, without a margin. */
class StepCounts {
  readonly #encoding: Encoding;
  readonly #signal: AbortSignal | undefined;
  /** A step asks for the same text several times. The texts are the step's own and go with it; what has a digest is looked up by that. */
  readonly #counted = new Map<string, number>();
  /** It is asked for again at once, where it was not known. */
  #digestedLast: DigestedText | undefined;

  constructor(encoding: Encoding, signal: AbortSignal | undefined) {
    this.#encoding = encoding;
    this.#signal = signal;
  }

  recall(given: DigestedText): number | undefined {
    const known = given.counts?.get(this.#encoding) ?? this.#before(given);
    if (known !== undefined) return known;
    const tokens = countNow(this.#encoding, this.#withDigest(given), this.#signal);
    if (tokens === undefined) return undefined;
    given.counts?.set(this.#encoding, tokens);
    this.#keep(given, tokens);
    return tokens;
  }

  /** Tokens of the text, or some number above `limit`. */
  async count(given: DigestedText, limit: number): Promise<number> {
    const before = this.#before(given);
    if (before !== undefined) return before;
    const text = this.#withDigest(given); // once, for all that comes
    const tokens =
      countNow(this.#encoding, text, this.#signal) ??
      (await countExactly(this.#encoding, text, { limit, signal: this.#signal }));
    if (tokens <= limit) this.#keep(given, tokens);
    return tokens;
  }

  /** The text with its digest, if it is long enough to be looked up, and not so long that it should wait for a turn. */
  #withDigest(given: DigestedText): DigestedText {
    const { text, digest } = given;
    if (digest !== undefined || text.length < MEMORABLE || text.length > DIGESTED_AT_ONCE) return given;
    if (this.#digestedLast?.text !== text) this.#digestedLast = { text, digest: digestOf(text) };
    return this.#digestedLast;
  }

  #before({ text, digest }: DigestedText): number | undefined {
    return digest === undefined ? this.#counted.get(text) : undefined;
  }

  #keep({ text, digest }: DigestedText, tokens: number): void {
    if (digest === undefined) this.#counted.set(text, tokens);
  }
}

function boundOf(encoding: Encoding, pieces: readonly DigestedText[]): Bound {
  const memo = loadedEncoding(encoding)?.memo;
  let tokens = 0;
  let isExact = true;
  for (const { text, digest, isTaken } of summandsOf(pieces)) {
    const known = digest === undefined ? undefined : memo?.recall(digest);
    if (known === undefined) isExact = false;
    // An end that is counted once more takes nothing away as long as it is not known.
    if (!isTaken) tokens += known ?? Buffer.byteLength(text);
  }
  return { tokens, isExact };
}

/** What was counted in an earlier step, or can be counted at once; undefined for anything else. */
function countNow(
  encoding: Encoding,
  { text, digest }: DigestedText,
  signal: AbortSignal | undefined,
): number | undefined {
  const tables = loadedEncoding(encoding);
  const known = digest === undefined ? undefined : tables?.memo.recall(digest);
  if (known !== undefined || !tables) return known;
  const tokens = countAtOnce(tables, text, signal);
  if (tokens !== undefined && digest !== undefined) tables.memo.remember(digest, tokens);
  return tokens;
}

/** Tokens of a text that is not known, or some number above `limit`. */
async function countExactly(
  encoding: Encoding,
  { text, digest }: DigestedText,
  bounds: CountBounds,
): Promise<number> {
  const { limit, signal } = bounds;
  const tables = loadedEncoding(encoding) ?? (await loadEncoding(encoding, signal));
  await eventLoopShare.take(text.length * READING, signal);
  const isMemorable = text.length >= MEMORABLE && text.length <= limit * LIKELY_UNITS_PER_TOKEN;
  if (!isMemorable) return countText(tables, text, bounds);
  const key = digest ?? digestOf(text);
  await tables.underWay.end(key, signal);
  const known = tables.memo.recall(key);
  if (known !== undefined) return known;
  const counting = countText(tables, text, bounds).then((tokens) => {
    if (tokens <= limit) tables.memo.remember(key, tokens);
    return tokens;
  });
  return text.length < LONG_TEXT ? counting : tables.underWay.add(key, counting);
}

interface Sought {
  readonly encoding: Encoding;
  readonly key: string;
  readonly signal: AbortSignal | undefined;
}

async function recallOr({ encoding, key, signal }: Sought, find: () => Promise<number>): Promise<number> {
  const { memo } = loadedEncoding(encoding) ?? (await loadEncoding(encoding, signal));
  const known = memo.recall(key);
  if (known !== undefined) return known;
  const found = await find();
  memo.remember(key, found);
  return found;
}
