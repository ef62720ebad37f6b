import type { Warning } from '../../../contract/step.js';
import type { Completion } from '../../step/provider.js';

/** Maximum length of a reply in UTF-8: text, reasoning, refusal, signatures and native calls together. */
const MAX_REPLY_BYTES = 2 ** 20;

/**
 * Cuts a reply at its maximum length (rule: reply-cap). All kept text of a reply passes through `admit` in the
 * order of arrival, except the model's name and the finish reason.
 */
export class ReplyCap {
  readonly #count: ((bytes: number) => void) | undefined;
  #bytesLeft = MAX_REPLY_BYTES;
  #isExceeded = false;

  /** @param count is called with the number of bytes of each kept text. It may throw to stop reading. */
  constructor(count?: (bytes: number) => void) {
    this.#count = count;
  }

  /** True if a part of the reply was cut off. */
  get isExceeded(): boolean {
    return this.#isExceeded;
  }

  /** Returns the part of the next text that is within the maximum length. */
  admit(text: string): string {
    if (this.#isExceeded) return '';
    const bytes = Buffer.byteLength(text);
    if (bytes > this.#bytesLeft) return this.#cut(text);
    this.#bytesLeft -= bytes;
    this.#count?.(bytes);
    return text;
  }

  /**
   * Marks a completion that was cut at the maximum length: sets its finish reason to `length`, and
   * adds a warning.
   */
  mark(completion: Completion): Completion {
    const warnings = [...completion.warnings, replyTooLong];
    return { ...completion, finishReason: 'length', isTooLong: true, warnings };
  }

  #cut(text: string): string {
    this.#isExceeded = true;
    this.#count?.(this.#bytesLeft);
    const { read } = new TextEncoder().encodeInto(text, new Uint8Array(this.#bytesLeft));
    return text.slice(0, read);
  }
}

const replyTooLong: Warning = {
  code: 'reply_too_long',
  message:
    'The reply is longer than 1 MiB: the rest was not read, and the reply is treated as cut off by the output limit.',
};
