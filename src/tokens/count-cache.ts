import { hash } from 'node:crypto';

/** Maximum number of cached counts. They take about 4 MB: each entry has a key of 44 characters and a number. */
const MAX_COUNTS = 32_768;

/**
 * Token counts by the SHA-256 of the counted bytes; the cache stores no text. Keeps the most recently used
 * counts: when half of the cache is full, the other half, with counts not used since, is dropped. Tracking
 * exact recency would cost a deletion per lookup, and JavaScript's `Map` becomes slow to iterate after many
 * deletions.
 */
export class CountCache {
  #recent = new Map<string, number>();
  #older = new Map<string, number>();

  static keyOf(bytes: Uint8Array): string {
    return hash('sha256', bytes, 'base64');
  }

  get(key: string): number | undefined {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const older = this.#older.get(key);
    if (older !== undefined) this.set(key, older);
    return older;
  }

  set(key: string, tokens: number): void {
    this.#recent.set(key, tokens);
    if (this.#recent.size < MAX_COUNTS / 2) return;
    this.#older = this.#recent;
    this.#recent = new Map();
  }
}
