import { inspect } from 'node:util';

const wellFormed = /^[\x21-\x7e]{8,512}$/;
const redacted = '[redacted]';

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
    return shapesOf(this.#value).reduce((rest, shape) => rest.replaceAll(shape, redacted), text);
  }

  toString(): string {
    return redacted;
  }

  toJSON(): string {
    return redacted;
  }

  [inspect.custom](): string {
    return redacted;
  }
}

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
