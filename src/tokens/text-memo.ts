import { createHash, hash } from 'node:crypto';

const MOST_NUMBERS = 32_768;
/** Six bits each. */
const KEY_LENGTH = 22;

/**
 * A key for what is found out about a text: 132 bits of SHA-256, from which no text can be had back. At once: a turn
 * of the event loop costs more than the digest of a file.
 */
export function digestOf(text: string | Uint8Array): string {
  return hash('sha256', text, 'base64url').slice(0, KEY_LENGTH);
}

/** A text and, if there is one already, a digest of it or of all that it was made of: then it need not be digested itself. */
export interface DigestedText {
  readonly text: string;
  readonly digest?: string | undefined;
  /** What the text was put together of, if it was. */
  readonly pieces?: readonly string[] | undefined;
  /** Its tokens by encoding, once they were counted: of a text of ours, which is as old as the process. */
  readonly counts?: Map<string, number> | undefined;
}

/**
 * A text of ours that comes again in every step: it is digested once, and its counts are kept with it. It ends with a line break, and is
 * counted alone or as the first of several (see `joinUnsafeSeams`).
 */
export const digested = (text: string): DigestedText => ({ text, digest: digestOf(text), counts: new Map() });

/** A longer text is not joined with anything to be digested: that would copy it. */
const SHORT = 4096;

/** The same for what is found out about a text in some setting. */
export function digestOfBoth(setting: string, text: string): string {
  if (text.length <= SHORT) return digestOf(setting + text);
  return createHash('sha256').update(setting).update(text).digest('base64url').slice(0, KEY_LENGTH);
}

interface Entry<Value> {
  readonly value: Value;
  /** Asked for since it was stored, or since it was spared last. */
  isUsed: boolean;
}

/**
 * What was found out about texts, by digest: the text of one step comes again in the next. Holds digests and numbers,
 * never texts, and at most 32,768 of them by default (some 5 MB); the oldest one that nobody has asked for makes room. To ask is to
 * read: an order by use would be written anew with each question, of which a step has hundreds.
 */
export class TextMemo<Value = number> {
  readonly #entries = new Map<string, Entry<Value>>();
  readonly #capacity: number;
  /** Goes on from where it stopped: from the beginning, it would pass all that was ever deleted. */
  #oldest = this.#entries.entries();

  constructor(capacity = MOST_NUMBERS) {
    this.#capacity = capacity;
  }

  recall(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    entry.isUsed = true;
    return entry.value;
  }

  /** What is known, or what `find` comes to and is known from now on. */
  recallOr(key: string, find: () => Value): Value {
    const known = this.recall(key);
    if (known !== undefined) return known;
    const found = find();
    this.remember(key, found);
    return found;
  }

  remember(key: string, value: Value): void {
    this.#entries.set(key, { value, isUsed: false });
    if (this.#entries.size > this.#capacity) this.#makeRoom();
  }

  /** What was used goes to the end of the line once. */
  #makeRoom(): void {
    for (let next = this.#oldest.next(); !next.done; next = this.#oldest.next()) {
      const [key, { value, isUsed }] = next.value;
      this.#entries.delete(key);
      if (!isUsed) return;
      this.#entries.set(key, { value, isUsed: false });
    }
  }
}
