import { DeltaWriter } from '../delta-writer.js';
import { LineEnds } from '../text/characters.js';
import { ArrivingCode } from '../text/code-spans.js';
import { LineClassifier } from '../text/line-classifier.js';
import type { Marker } from '../text/markers.js';

/** The line that is being read. */
export interface CurrentLine {
  /** True as long as only spaces and tabs of the line were read. */
  begins: boolean;
  hasText: boolean;
  /** Number of spaces and tabs at the start of the line, which are already held back. */
  indent: number;
  quoted: boolean;
  /**
   * True if the line is sent only once text follows it, since its code fence may turn out to hold the action or the
   * answer.
   */
  kept: boolean;
  /** True if the line's label, such as `**Answer:`, opened `**` without closing it. */
  openBold: boolean;
  /** Position, in the held text, of a `**` that may close the emphasis. */
  closingBold: number | null;
}

/** The reading state of an arriving reply. */
export class ArrivingReply {
  readonly writer = new DeltaWriter();
  readonly code = new ArrivingCode();
  lines = new LineClassifier();
  line: CurrentLine = newLine();
  /** The closing tag of the current answer, if it is in tags. */
  closingTag: string | null = null;
  /**
   * The answer label that was just read (such as `Final Answer:`), while a second label may still follow it
   * directly; null otherwise.
   */
  answerLabel: Marker | null = null;
  /**
   * Set where chat-template tokens such as `<|im_start|>` are dropped: at the start of the reply, and directly after
   * reasoning. Null elsewhere.
   */
  edge: 'reply' | 'reasoning' | null = 'reply';
  /**
   * Whether the text so far is before, inside or after the `<response>` tags, which some models put around the text
   * after reasoning.
   */
  response: 'before' | 'inside' | 'after' = 'before';
  /**
   * True after a `Thought:` that is not at the start of the reply. The text after it is held back until an answer's
   * label or the end of the reply, because the label is part of an answer without a label (rule: thought-and-answer).
   */
  waits = false;
  /** True if nothing but reasoning was sent so far, so that the reply may still be a call without a label. */
  mayBeCall = true;
  /** The text that was not sent yet begins at index `at`. One character before it is kept, if there is one. */
  text = '';
  at = 0;
  #lineEnds = new LineEnds('');

  arrive(text: string): void {
    const before = Math.max(0, this.at - 1);
    this.text = this.text.slice(before) + text;
    this.at -= before;
    this.#lineEnds = new LineEnds(this.text);
  }

  /** Returns the end of the line at `position`, as far as it has arrived. */
  lineEnd(position: number): number {
    return this.#lineEnds.after(position);
  }

  beginLine(): void {
    this.line = newLine();
  }

  /** Holds back the text up to `end`, which is sent only if more text follows. */
  keepTo(end: number): true {
    this.writer.keep(this.text.slice(this.at, end));
    this.at = end;
    return true;
  }

  /** Sends the text up to `end` in the current role. */
  writeTo(end: number): true {
    const text = this.text.slice(this.at, end);
    this.at = end;
    const waits = this.waits && this.writer.role !== 'reasoning';
    if (this.line.kept || waits) this.writer.keep(text);
    else this.writer.write(text);
    if (text.trim() !== '') this.#sawText(text);
    return true;
  }

  #sawText(text: string): void {
    this.line.hasText = true;
    this.line.closingBold = null;
    if (this.writer.role === 'reasoning') return;
    if (!this.line.quoted) this.code.enter(text);
    this.mayBeCall = false;
    this.lines.sawProse();
  }
}

const newLine = (): CurrentLine => ({
  begins: true,
  hasText: false,
  indent: 0,
  quoted: false,
  kept: false,
  openBold: false,
  closingBold: null,
});
