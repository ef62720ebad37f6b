import { changed } from './write-text.js';

/** Calls whose preview is remembered: more than a person can have before their eyes. */
const maxCalls = 100;

/**
 * Remembers which text of a file a preview was made from: what a person approved is carried out on that text or
 * not at all.
 */
export class ApprovedTexts {
  readonly #byCall = new Map<string, string | undefined>();

  remember(callId: string, text: string | undefined): void {
    this.#byCall.set(callId, text);
    const [oldest] = this.#byCall.keys();
    if (this.#byCall.size > maxCalls && oldest !== undefined) this.#byCall.delete(oldest);
  }

  /** Throws `ToolError` where the file is no longer what was previewed. */
  check(callId: string, text: string | undefined, path: string): void {
    if (this.#byCall.has(callId) && this.#byCall.get(callId) !== text) throw changed(path);
    this.#byCall.delete(callId);
  }
}
