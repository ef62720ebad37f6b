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
  parseCompletionPausing,
} from './parse-completion.js';
import type { Pause } from './pause.js';

/** A completely parsed reply, and the deltas that were held back until its end. */
export interface StreamedReply {
  /** Deltas that could be sent only once the whole text had arrived, in order; may be empty. */
  readonly deltas: ParseDelta[];
  /** The same result as that of `parseCompletion` for the whole text. */
  readonly completion: ParsedCompletion;
}

/**
 * Reads a completion while it arrives. Deltas contain neither labels nor incomplete tags; `end` returns the same result
 * as `parseCompletion` for the whole text, and the remaining deltas. The work is linear in the text.
 *
 * In a labelled reply, joined `draft` and `thought` deltas equal the thought, and `answer` deltas the answer (rule:
 * deltas-join). A reply without a label of an answer is sent once, as `draft` and `thought`; one that begins like a call
 * is held back until its end. The text of an unreadable action is never sent (rule: unreadable-never-answer). Prose
 * before an unmatched `</think>` has already been sent as draft when the tag shows that it is reasoning.
 */
export class IncrementalParser {
  readonly #tools: readonly OfferedTool[];
  readonly #chunks: string[] = [];
  readonly #reply = new ArrivingReply();
  readonly #beginnings: LineBeginnings;
  readonly #contents: LineContents;

  /**
   * Creates a parser for one completion; the next completion needs a new one. `tools` are those that the model was
   * offered. With an empty list, every well-formed call is accepted. The list must not change afterwards.
   */
  constructor(tools: readonly OfferedTool[]) {
    this.#tools = tools;
    const offered = OfferedTools.of(tools);
    this.#beginnings = new LineBeginnings(this.#reply, offered);
    this.#contents = new LineContents(this.#reply, offered);
  }

  /** Adds the next part of the completion and returns the deltas that can be sent. */
  push(text: string): ParseDelta[] {
    this.#chunks.push(text);
    const reply = this.#reply;
    if (reply.writer.role === 'held') return [];
    reply.arrive(text);
    while (reply.at < reply.text.length && this.#advance());
    return reply.writer.take();
  }

  /** Returns the parsed completion, with the deltas that were held back. */
  end({ reasoning = null, ...options }: ParseOptions = {}): StreamedReply {
    return this.#ended(parseCompletion(this.#chunks.join(''), this.#tools, options), reasoning);
  }

  /** Works as `end`, but awaits `pause` between parts of the text. */
  async endPausing({ reasoning = null, ...options }: ParseOptions, pause: Pause): Promise<StreamedReply> {
    const text = this.#chunks.join('');
    return this.#ended(await parseCompletionPausing(text, this.#tools, options, pause), reasoning);
  }

  #ended(completion: ParsedCompletion, reasoning: string | null): StreamedReply {
    return { deltas: this.finish(completion), completion: addReasoning(completion, { reasoning }) };
  }

  /** Returns the remaining deltas, for a caller that parsed the whole text itself. */
  finish(completion: ParsedCompletion): ParseDelta[] {
    const { writer } = this.#reply;
    writer.finish(completion);
    return writer.take();
  }

  /** Reads the next part of the text; false if more text is needed to decide. */
  #advance(): boolean {
    const { writer, line } = this.#reply;
    if (writer.role === 'held') return false;
    const isInLine = writer.role === 'reasoning' || !line.begins;
    return isInLine ? this.#contents.advance() : this.#beginnings.advance();
  }
}
