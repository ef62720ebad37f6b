import { createHash, hash } from 'node:crypto';

const CAPACITY = 32_768;
/** Six bits each. */
const KEY_LENGTH = 22;

/**
 * A key for what is found out about a text: 132 bits of SHA-256, from which no text can be had back. At once: a turn
 * of the event loop costs more than the digest of a file.
 */
export function digestOf(text: string | Uint8Array): string {
  return hash('sha256', text, 'base64url').slice(0, KEY_LENGTH);
}

/** A longer text is not joined with anything to be digested: that would copy it. */
const SHORT = 4096;

/** The same for what is found out about a text in some setting. */
export function digestOfBoth(setting: string, text: string): string {
  if (text.length <= SHORT) return digestOf(setting + text);
  return createHash('sha256').update(setting).update(text).digest('base64url').slice(0, KEY_LENGTH);
}

/**
 * Numbers found out about texts, by digest: the text of one step comes again in the next. Holds digests and numbers,
 * never texts, and at most 32,768 of them (some 4 MB); the one not asked for the longest makes room.
 */
export class TextMemo {
  readonly #numbers = new Map<string, number>();

  recall(key: string): number | undefined {
    const number = this.#numbers.get(key);
    if (number !== undefined) this.remember(key, number);
    return number;
  }

  /** Stores the number as the most recent one. */
  remember(key: string, number: number): void {
    this.#numbers.delete(key);
    this.#numbers.set(key, number);
    if (this.#numbers.size <= CAPACITY) return;
    const oldest = this.#numbers.keys().next();
    if (!oldest.done) this.#numbers.delete(oldest.value);
  }
}
