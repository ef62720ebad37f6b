import type { OfferedTools } from '../arguments/offered-tool.js';
import { mayBeginBareCall } from '../formats/unmarked.js';
import { trimTokens } from '../text/trailing.js';
import type { ArrivingReply } from './arriving-reply.js';

/**
 * Code fences of an arriving reply that may turn out to be the reply's wrapping, the action or the answer.
 */
export class WaitingFences {
  readonly #reply: ArrivingReply;
  readonly #tools: OfferedTools;
  #isWrapped = false;
  /**
   * Index in the held text just after the opening line of a fence that may wrap the whole reply, so that the text
   * can be sent without that line; null if there is no such fence.
   */
  #wrappedFrom: number | null = null;
  /** Whether the text of the current code fence is held back; null if only its opening line has arrived. */
  #isKept: boolean | null = false;

  constructor(reply: ArrivingReply, tools: OfferedTools) {
    this.#reply = reply;
    this.#tools = tools;
  }

  /** Whether the reply begins with a code fence. */
  get isWrapped(): boolean {
    return this.#isWrapped;
  }

  /** Whether the current line is sent only once text follows it. */
  keepsLine(quoted: boolean, wasInFence: boolean): boolean {
    return (quoted && this.#mayAct(wasInFence)) || this.#wrappedFrom !== null;
  }

  /**
   * Whether the current line belongs to a code fence that may hold the action or the answer: one after a labelled
   * thought, or one that begins like a call.
   */
  #mayAct(wasInFence: boolean): boolean {
    const { lines, writer, text, at } = this.#reply;
    if (!wasInFence) this.#isKept = lines.insideCodeFence ? null : false;
    else this.#isKept ??= writer.role === 'thought' || mayBeginBareCall(text, at, this.#tools) !== false;
    return this.#isKept ?? true;
  }

  /**
   * Holds back the text of a fence that opens the reply, until a label in it or the end of the fence shows whether the
   * fence wraps the whole reply.
   */
  enterWrapper(end: number): void {
    const { writer, lines, line } = this.#reply;
    this.#isWrapped = true;
    if (writer.role !== 'draft') {
      this.#reply.at = end;
      return;
    }
    this.#reply.keepTo(end);
    this.#wrappedFrom = lines.insideWrapper ? writer.gap.length : null;
    line.kept = this.#wrappedFrom !== null;
  }

  /** Sends the held text without the fence line, since a label shows that the fence only wraps the reply. */
  unwrap(): void {
    if (this.#wrappedFrom === null) return;
    const { writer } = this.#reply;
    const text = writer.gap.slice(this.#wrappedFrom);
    const { end } = trimTokens(text, 0, text.length);
    this.#wrappedFrom = null;
    writer.dropGap();
    writer.write(text.slice(0, end));
    writer.keep(text.slice(end));
  }
}
