import { isOneOf } from '../text/characters.js';
import { trimTokens } from '../text/trailing.js';
import type { ArrivingReply } from './arriving-reply.js';

/** Code fences of an arriving reply that may be more than code: the reply's wrapping, the action, the answer. */
export class WaitingFences {
  readonly #reply: ArrivingReply;
  #isWrapped = false;
  /** How much waited when a fence opened the reply of which nothing is sent yet. */
  #wrapped: number | null = null;
  /** Null in a code fence of which only the opening line has come. */
  #isKept: boolean | null = false;

  constructor(reply: ArrivingReply) {
    this.#reply = reply;
  }

  /** Whether a fence opened the reply. */
  get isWrapped(): boolean {
    return this.#isWrapped;
  }

  /** Whether the line that has begun is shown only once text follows it. */
  keepsLine(quoted: boolean, wasInFence: boolean): boolean {
    return (quoted && this.#mayAct(wasInFence)) || this.#wrapped !== null;
  }

  /** A code fence may turn out to hold the action or the answer: after a labelled thought, or where JSON stands in it. */
  #mayAct(wasInFence: boolean): boolean {
    const { lines, writer, text, at } = this.#reply;
    if (!wasInFence) this.#isKept = lines.insideCodeFence ? null : false;
    else this.#isKept ??= writer.role === 'thought' || isOneOf('{[', text, at);
    return this.#isKept ?? true;
  }

  /** Holds the text of a fence that opens the reply until a label in it, or the fence's end, shows whether it only wraps the reply. */
  enterWrapper(end: number): void {
    const { writer, lines, line } = this.#reply;
    this.#isWrapped = true;
    if (writer.role !== 'draft') {
      this.#reply.at = end;
      return;
    }
    this.#reply.keepTo(end);
    this.#wrapped = lines.insideWrapper ? writer.gap.length : null;
    line.kept = this.#wrapped !== null;
  }

  /** A label shows that the fence only wraps the reply: what has waited is sent without the fence line. */
  unwrap(): void {
    if (this.#wrapped === null) return;
    const { writer } = this.#reply;
    const text = writer.gap.slice(this.#wrapped);
    const { end } = trimTokens(text, 0, text.length);
    this.#wrapped = null;
    writer.dropGap();
    writer.write(text.slice(0, end));
    writer.keep(text.slice(end));
  }
}
