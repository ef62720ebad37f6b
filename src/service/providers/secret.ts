import { inspect } from 'node:util';
import { encodedForms } from '../../network/encoded-forms.js';
import { isWellFormedKey } from '../../network/key-form.js';

/**
 * Number of consecutive characters that count as a leaked part of a key. Shorter sequences also occur in ordinary
 * text by chance.
 */
const HINT_LENGTH = 8;

const REDACTED = '[redacted]';

/** A key that prints as `[redacted]` in strings, JSON, `console.log` and stack traces. Only `reveal` returns it. */
export class Secret {
  readonly #value: string;
  /** Texts to remove by `redact`; computed once, because a record has thousands of texts. */
  #shapes: readonly string[] | undefined;
  /** True for a setting that grants access, such as a gateway's own key. */
  readonly isCredential: boolean;

  private constructor(value: string, isCredential = true) {
    this.#value = value;
    this.isCredential = isCredential;
  }

  /**
   * Creates a secret from the value of a header or query parameter that an operator configured. The value may be
   * short.
   */
  static ofSetting(text: string, { isCredential }: { readonly isCredential: boolean }): Secret {
    return new Secret(text, isCredential);
  }

  /**
   * Parses a key. Returns undefined if the text cannot be a key: a header could not carry it, or Node's error
   * would quote it (rule: key-form).
   */
  static parse(text: string): Secret | undefined {
    return isWellFormedKey(text) ? new Secret(text) : undefined;
  }

  /** Returns the key. Use it only for the header of the provider request. */
  reveal(): string {
    return this.#value;
  }

  /**
   * Removes the key from a text (rule: key-redaction), in raw, escaped and encoded form, and also its first and
   * last 8 characters.
   */
  redact(text: string): string {
    if (this.#value.length < HINT_LENGTH) return text;
    this.#shapes ??= shapesOf(this.#value);
    if (text.length < (this.#shapes.at(-1)?.length ?? 0)) return text;
    return this.#shapes.reduce((rest, shape) => rest.replaceAll(shape, REDACTED), text);
  }

  /**
   * Returns whether the text contains any 8 consecutive characters of the key, raw, escaped or encoded, in either
   * case.
   */
  isHintedAtIn(text: string): boolean {
    const hints = new Set(encodedForms(this.#value).flatMap(hintsIn));
    return hintsIn(text).some((hint) => hints.has(hint));
  }

  toString(): string {
    return REDACTED;
  }

  toJSON(): string {
    return REDACTED;
  }

  [inspect.custom](): string {
    return REDACTED;
  }
}

/** Returns whether a text begins like a key or a token, or contains 64 hexadecimal digits in a row. */
export const looksSecret = (text: string): boolean => /^(?:sk-|stepwise_)|[\da-f]{64}/i.test(text);

/** Returns a function that removes the secrets from a text and keeps the rest. */
export const redactWith =
  (secrets: readonly Secret[]) =>
  (text: string): string =>
    secrets.reduce((rest, secret) => secret.redact(rest), text);

/**
 * Returns a text that operators may read: with its secrets redacted, or a placeholder if the whole text looks like
 * another secret.
 */
export const withoutSecrets = (text: string, secrets: readonly Secret[]): string =>
  looksSecret(text) ? REDACTED : redactWith(secrets)(text);

/**
 * Returns the texts that reveal a key. The longest comes first, because replacing a shorter one inside it would leave
 * the rest of the key readable.
 */
function shapesOf(key: string): string[] {
  const shapes = new Set([...encodedForms(key), key.slice(0, HINT_LENGTH), key.slice(-HINT_LENGTH)]);
  return [...shapes].sort((a, b) => b.length - a.length);
}

const hintsIn = (text: string): string[] =>
  Array.from({ length: Math.max(0, text.length - HINT_LENGTH + 1) }, (_, at) =>
    text.slice(at, at + HINT_LENGTH).toLowerCase(),
  );
