export type Encoding = 'o200k_base' | 'cl100k_base';

/** Counts tokens without ever holding the event loop. */
export interface TokenCounter {
  readonly encoding: Encoding;
  readonly counting: 'exact' | 'estimated';
  /** Tokens of the text (an estimate: times its margin, rounded up). */
  count(text: string): Promise<number>;
  /** Tokens of the text if there are at most `limit`, else undefined; stops counting at the limit. */
  countWithin(text: string, limit: number): Promise<number | undefined>;
  /** Tokens of pieces that are sent as one text. */
  countJoined(pieces: readonly string[]): Promise<number>;
}
