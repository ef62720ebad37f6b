import { inspect } from 'node:util';
import { decodingsOf } from './decodings.js';

/** Characters of a key that give it away: fewer stand in ordinary text by chance. */
const HINT = 6;

const wellFormed = /^[\x21-\x7e]{8,512}$/;
const REDACTED = '[redacted]';

/**
 * A key that prints as `[redacted]` wherever it may end up: string, JSON, `console.log`, a stack.
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

  /** For the header of the provider request, and nothing else. */
  reveal(): string {
    return this.#value;
  }

  /** The text without the key in any shape it may have taken: raw, escaped, encoded, or only its ends. */
  redact(text: string): string {
    return shapesOf(this.#value).reduce((rest, shape) => rest.replaceAll(shape, REDACTED), text);
  }

  /**
   * Whether any six neighbouring characters of the key, or of its letters and digits, stand in the text: in either case,
   * spaced out, raw or in an encoding that an error may have put them into, one inside the other included.
   */
  isHintedAtIn(text: string): boolean {
    const hints = new Set(spellingsOf(this.#value).flatMap(hintsIn));
    return decodingsOf(text).some((decoded) =>
      spellingsOf(decoded).some((each) => hintsIn(each).some((hint) => hints.has(hint))),
    );
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

/** A text that goes to the operator, without the key of its request; of what looks like another secret, nothing. */
export const withoutSecrets = (text: string, key: Secret | undefined): string =>
  looksSecret(text) ? REDACTED : (key?.redact(text) ?? text);

/** Longest first, so that no shape hides a part of a longer one. */
function shapesOf(value: string): string[] {
  const shapes = [
    value,
    JSON.stringify(value).slice(1, -1),
    encodeURIComponent(value),
    ...[0, 1, 2].flatMap((offset) => base64Within(value, offset)),
    value.slice(0, 8),
    value.slice(-8),
  ];
  return [...new Set(shapes)].sort((a, b) => b.length - a.length);
}

/** What base64 makes of the value after `offset` other bytes: only the characters that no neighbour touches. */
function base64Within(value: string, offset: number): string[] {
  const encoded = Buffer.from(' '.repeat(offset) + value).toString('base64url');
  const end = (offset + value.length) % 3 === 0 ? encoded.length : encoded.length - 1;
  const whole = encoded.slice(offset === 0 ? 0 : offset + 1, end);
  return [whole, whole.replaceAll('-', '+').replaceAll('_', '/')];
}

/** As it is written, without white space and invisible marks, and its letters and digits alone. */
const spellingsOf = (text: string): string[] => [
  ...new Set([text, text.replace(/[\s\p{C}\p{Z}\p{M}]+/gu, ''), text.replace(/[^a-z\d]+/giu, '')]),
];

const hintsIn = (text: string): string[] =>
  Array.from({ length: Math.max(0, text.length - HINT + 1) }, (_, at) =>
    text.slice(at, at + HINT).toLowerCase(),
  );
