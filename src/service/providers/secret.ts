import { inspect } from 'node:util';

/** Successive characters that give a key away: fewer stand in ordinary text by chance. */
const HINT_LENGTH = 8;

const wellFormed = /^[\x21-\x7e]{8,512}$/;
const REDACTED = '[redacted]';

/**
 * A key that prints as `[redacted]` wherever it ends up: in a string, JSON, `console.log` or a stack.
 * Only `reveal` gives it away.
 */
export class Secret {
  readonly #value: string;

  private constructor(value: string) {
    this.#value = value;
  }

  /** Undefined if the text cannot be a key (rule: key-form): a header could not carry it, or an error would quote it. */
  static parse(text: string): Secret | undefined {
    return wellFormed.test(text) ? new Secret(text) : undefined;
  }

  /** Returns the key, for the header of the provider request and nothing else. */
  reveal(): string {
    return this.#value;
  }

  /** Returns the text without the key (rule: key-redaction): raw, escaped, encoded, and its first and last 8 characters. */
  redact(text: string): string {
    const value = this.#value;
    const shapes = [...formsOf(value), value.slice(0, HINT_LENGTH), value.slice(-HINT_LENGTH)];
    // The longest first, so that no shape hides a part of a longer one.
    const ordered = shapes.sort((a, b) => b.length - a.length);
    return ordered.reduce((rest, shape) => rest.replaceAll(shape, REDACTED), text);
  }

  /** Whether the text holds any 8 successive characters of the key, raw, escaped or encoded, in either case. */
  isHintedAtIn(text: string): boolean {
    const hints = new Set(formsOf(this.#value).flatMap(hintsIn));
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

/** Whether a text begins as keys and tokens of ours do, or holds what may be the digits of one. */
export const looksSecret = (text: string): boolean => /^(?:sk-|stepwise_)|[\da-f]{64}/i.test(text);

/** A text for the operator, without the key of its request; nothing of a text that looks like another secret. */
export const withoutSecrets = (text: string, key: Secret | undefined): string =>
  looksSecret(text) ? REDACTED : (key?.redact(text) ?? text);

/** The forms in which a key may stand in a text: raw, JSON-escaped, percent-encoded and in base64. */
function formsOf(value: string): string[] {
  const escaped = JSON.stringify(value).slice(1, -1);
  const base64 = [0, 1, 2].flatMap((offset) => base64Within(value, offset));
  return [value, escaped, encodeURIComponent(value), ...base64];
}

/** The value in base64 after `offset` other bytes: only the characters that do not depend on the bytes around it. */
function base64Within(value: string, offset: number): string[] {
  const encoded = Buffer.from(' '.repeat(offset) + value).toString('base64url');
  const end = (offset + value.length) % 3 === 0 ? encoded.length : encoded.length - 1;
  const whole = encoded.slice(offset === 0 ? 0 : offset + 1, end);
  return [whole, whole.replaceAll('-', '+').replaceAll('_', '/')];
}

const hintsIn = (text: string): string[] =>
  Array.from({ length: Math.max(0, text.length - HINT_LENGTH + 1) }, (_, at) =>
    text.slice(at, at + HINT_LENGTH).toLowerCase(),
  );
