import { hash } from 'node:crypto';

/** Together some 4 MB: a key of 44 characters and a number each. */
const MAX_COUNTS = 32_768;

/**
 * Token counts by the SHA-256 of the bytes that were counted; it holds no text. Keeps the counts used last: once half of
 * the cache is full, the other half, which holds what was not used since, makes room. An order by use would cost a
 * deletion with each lookup, and JavaScript's `Map` becomes slow to iterate after many of them.
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
