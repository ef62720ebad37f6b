import { yieldIfBusy } from '../event-loop/yield-if-busy.js';
import { countText, type EncodingTables } from './count-text.js';
import { type Encoding, loadEncoding } from './encodings.js';
import { joinUnsafeSeams } from './seams.js';

/**
 * Counts the tokens of texts as ordinary text: special tokens such as `<|endoftext|>` have no special meaning. No
 * method blocks the event loop, whatever the text (rule: loop-share). Each method throws the signal's reason once
 * the signal is aborted.
 */
export interface TokenCounter {
  readonly encoding: Encoding;
  /**
   * `estimated` if the model's own encoding is unknown, so that texts are counted by another encoding with a
   * safety factor.
   */
  readonly counting: 'exact' | 'estimated';
  count(text: string): Promise<number>;
  /**
   * Returns the number of tokens of a text, or undefined if it exceeds `limit`. A longer text costs no more than
   * counting `limit` tokens.
   */
  fits(text: string, limit: number): Promise<number | undefined>;
  /** Returns the sum of the token counts of all texts, plus the tokens that the provider adds around them. */
  countMessages(messages: readonly CountedMessage[]): Promise<number>;
}

export interface CountedMessage {
  /** Texts of one message. Each text is a list of segments, which are joined and sent as one string. */
  readonly texts: readonly (readonly string[])[];
  /** Tokens that the provider adds around the texts. */
  readonly framing: number;
}

/**
 * Creates a counter. Counters are cheap: all counters of one encoding share its tables and the cache of
 * counts.
 *
 * @param options.margin factor on the count of every text, rounded up, for models whose tokenizer is not
 * public; default 1 (exact).
 *
 * @param options.signal ends all counting when it is aborted (rule: one-deadline).
 */
export function createTokenCounter(
  encoding: Encoding,
  { margin = 1, signal }: { margin?: number; signal?: AbortSignal } = {},
): TokenCounter {
  /**
   * Cached exact counts by text. A step counts most of its texts several times: to fit them into the prompt, and as
   * parts of the whole prompt.
   */
  const counted = new Map<string, number>();
  let tables: EncodingTables | undefined;
  const countUpTo = async (text: string, limit: number): Promise<number> => {
    const pause = yieldIfBusy(signal);
    if (pause) await pause;
    const cached = counted.get(text);
    if (cached !== undefined) return cached;
    tables ??= await loadEncoding(encoding, signal);
    const tokens = await countText(tables, text, { limit, signal });
    if (tokens <= limit) counted.set(text, tokens);
    return tokens;
  };
  const countJoined = async (segments: readonly string[]): Promise<number> => {
    let tokens = 0;
    for (const text of joinUnsafeSeams(segments)) tokens += await countUpTo(text, Number.POSITIVE_INFINITY);
    return Math.ceil(tokens * margin);
  };
  return {
    encoding,
    counting: margin === 1 ? 'exact' : 'estimated',
    count: (text) => countJoined([text]),
    fits: async (text, limit) => {
      const tokens = Math.ceil((await countUpTo(text, Math.ceil(limit / margin))) * margin);
      return tokens <= limit ? tokens : undefined;
    },
    countMessages: async (messages) => {
      let tokens = 0;
      for (const { texts, framing } of messages) {
        tokens += framing;
        for (const segments of texts) tokens += await countJoined(segments);
      }
      return tokens;
    },
  };
}
