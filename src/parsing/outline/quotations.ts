import { imaginesTurn } from '../text/chat-tokens.js';
import type { LineClassifier } from '../text/line-classifier.js';
import { isMentioned, type OwnTag, ownTagAt } from '../text/own-fences.js';

/**
 * Finds the service's data tags (such as `<file mark="1f">`) in a reply. A model that repeats one quotes data from the
 * prompt (rule: echoed-fence).
 */
export class Quotations {
  readonly #text: string;
  readonly #lines: LineClassifier;
  #tagAhead = -1;
  #unmarked = 0;

  constructor(text: string, lines: LineClassifier) {
    this.#text = text;
    this.#lines = lines;
  }

  /**
   * Start of the quoted data after one of the service's data tags without a `mark` attribute; null if no such tag is
   * open.
   */
  get open(): number | null {
    return this.#lines.insideUnmarkedFence ? this.#unmarked : null;
  }

  /** Records that the line which ends at `lineEnd` may have opened the first quotation without a `mark` attribute. */
  mayBeginAfter(lineEnd: number): void {
    if (this.#lines.insideUnmarkedFence) this.#unmarked = lineEnd + 1;
  }

  /**
   * Reads a quoted line, in which only the service's data tags and the beginning of another role's turn are recognised.
   * Returns where such a turn begins, or null.
   */
  enterLine(from: number, end: number): number | null {
    const text = this.#text;
    for (let at = this.#nextTag(from); at < end; at = this.#nextTag(at + 1)) {
      const tag = this.tagAt(at);
      if (tag) this.#lines.enterOwnTag(tag);
      else if (text.charAt(at - 1) === '>' && !this.#lines.insideFence && imaginesTurn(text, at)) return at;
    }
    return null;
  }

  /** Returns the service's data tag at `at`, such as `<file mark="1f">`, unless the text only mentions it. */
  tagAt(at: number): OwnTag | null {
    const tag = ownTagAt(this.#text, at);
    return tag && tag !== 'partial' && !isMentioned(this.#text, at, tag.end) ? tag : null;
  }

  /** Returns the position of the next `<`. It is cached, since many lines may precede it. */
  #nextTag(from: number): number {
    if (from <= this.#tagAhead) return this.#tagAhead;
    const at = this.#text.indexOf('<', from);
    this.#tagAhead = at < 0 ? this.#text.length : at;
    return this.#tagAhead;
  }
}
