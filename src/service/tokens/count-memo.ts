const CAPACITY = 4096;
const KEY_BYTES = 16;
const encoder = new TextEncoder();

/**
 * What has been counted already, by content: the text of one step comes again in the next. Holds digests and numbers,
 * never texts, and at most 4096 of them (under 1 MB); the one not asked for the longest makes room.
 */
export class CountMemo {
  readonly #counts = new Map<string, number>();

  /** The content's key: 128 bits of SHA-256, computed off the event loop. */
  async keyOf(text: string): Promise<string> {
    const digest = await crypto.subtle.digest('SHA-256', encoder.encode(text));
    return String.fromCharCode(...new Uint8Array(digest, 0, KEY_BYTES));
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
