import { type OfferedTool, OfferedTools } from './arguments/offered-tool.js';
import { ArrivingReply } from './arriving/arriving-reply.js';
import { LineBeginnings } from './arriving/line-beginnings.js';
import { LineContents } from './arriving/line-contents.js';
import type { ParseDelta } from './delta-writer.js';
import {
  addReasoning,
  type ParsedCompletion,
  type ParseOptions,
  parseCompletion,
} from './parse-completion.js';

/** A reply as it was read, with the deltas that were held back. */
export interface StreamedReply {
  readonly deltas: ParseDelta[];
  readonly completion: ParsedCompletion;
}

/**
 * Reads a completion while it arrives. Deltas hold no label and no half-written marker; `end` returns the result of
 * `parseCompletion` for the whole text, and the deltas still missing. The work is linear in the text.
 *
 * In a labelled reply, joined `draft` and `thought` deltas equal the thought, and `answer` deltas the answer
 * (rule: deltas-join). A reply without a label arrives as `draft`; one that begins like a call is held until its end. A
 * reply that turns out to be no action (`Action: None`) is one `answer` delta at the end; the text of an unreadable
 * action is never sent (rule: unreadable-never-answer). Prose before a `</think>` that nothing opened was sent as draft
 * by the time it turns out to be reasoning.
 */
export class IncrementalParser {
  readonly #tools: readonly OfferedTool[];
  readonly #chunks: string[] = [];
  readonly #reply = new ArrivingReply();
  readonly #beginnings: LineBeginnings;
  readonly #contents: LineContents;

  constructor(tools: readonly OfferedTool[]) {
    this.#tools = tools;
    this.#beginnings = new LineBeginnings(this.#reply);
    this.#contents = new LineContents(this.#reply, OfferedTools.of(tools));
  }

  /** Takes the next piece of the completion and returns what can be shown. */
  push(text: string): ParseDelta[] {
    this.#chunks.push(text);
    const reply = this.#reply;
    if (reply.writer.role === 'held') return [];
    reply.arrive(text);
    while (reply.at < reply.text.length && this.#advance());
    return reply.writer.take();
  }

  /** The completion as a whole, with the deltas that were held back. */
  end({ reasoning = null, ...options }: ParseOptions = {}): StreamedReply {
    const completion = parseCompletion(this.#chunks.join(''), this.#tools, options);
    return { deltas: this.finish(completion), completion: addReasoning(completion, { reasoning }) };
  }

  /** The deltas still missing, for a caller that has read the text up to here by itself. */
  finish(completion: ParsedCompletion): ParseDelta[] {
    const { writer } = this.#reply;
    writer.finish(completion);
    return writer.take();
  }

  /** Does one step; false when more text is needed to decide. */
  #advance(): boolean {
    const { writer, line } = this.#reply;
    if (writer.role === 'held') return false;
    const isInLine = writer.role === 'reasoning' || !line.begins;
    return isInLine ? this.#contents.advance() : this.#beginnings.advance();
  }
}
