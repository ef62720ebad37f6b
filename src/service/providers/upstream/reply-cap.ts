import type { Warning } from '../../../contract/step.js';
import type { Completion } from '../../step/provider.js';

/** Maximum length of a reply in UTF-8: text, reasoning, refusal, signatures and native calls together. */
const MAX_REPLY_BYTES = 2 ** 20;

/**
 * Cuts a reply at its maximum length (rule: reply-cap). Every text that is kept of a reply's content passes through `admit`
 * in the order in which it arrives. The names of the model and the finish reason are no content.
 */
export class ReplyCap {
  #bytesLeft = MAX_REPLY_BYTES;
  #isExceeded = false;

  /** Whether a part of the reply was cut off. */
  get isExceeded(): boolean {
    return this.#isExceeded;
  }

  /** Returns the part of the next text that still fits. */
  admit(text: string): string {
    if (this.#isExceeded) return '';
    const bytes = Buffer.byteLength(text);
    if (bytes > this.#bytesLeft) return this.#cut(text);
    this.#bytesLeft -= bytes;
    return text;
  }

  /** Marks a completion that was cut as cut by the output limit. */
  mark(completion: Completion): Completion {
    if (!this.#isExceeded) return completion;
    const warnings = [...completion.warnings, replyTooLong];
    return { ...completion, finishReason: 'length', isTooLong: true, warnings };
  }

  #cut(text: string): string {
    this.#isExceeded = true;
    const { read } = new TextEncoder().encodeInto(text, new Uint8Array(this.#bytesLeft));
    return text.slice(0, read);
  }
}

const replyTooLong: Warning = {
  code: 'reply_too_long',
  message: 'The reply is longer than 1 MiB: the rest was not read, and it counts as cut by the output limit.',
};
