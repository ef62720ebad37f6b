import { createHash } from 'node:crypto';

const CAPACITY = 16_384;
/** Six bits each. */
const KEY_LENGTH = 22;

/**
 * What has been counted already, by content: the text of one step comes again in the next. Holds digests and numbers,
 * never texts, and at most 16,384 of them (some 2 MB); the one not asked for the longest makes room.
 */
export class CountMemo {
  readonly #counts = new Map<string, number>();

  /** The content's key: 132 bits of SHA-256. At once: a turn of the event loop costs more than the digest of a file. */
  keyOf(text: string): string {
    return createHash('sha256').update(text).digest('base64url').slice(0, KEY_LENGTH);
  }

  recall(key: string): number | undefined {
    const tokens = this.#counts.get(key);
    if (tokens !== undefined) this.remember(key, tokens);
    return tokens;
  }

  /** Stores the count as the most recent one. */
  remember(key: string, tokens: number): void {
    this.#counts.delete(key);
    this.#counts.set(key, tokens);
    const [oldest] = this.#counts.keys();
    if (this.#counts.size > CAPACITY && oldest !== undefined) this.#counts.delete(oldest);
  }
}
