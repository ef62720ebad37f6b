import type { ParseDelta } from '../../../parsing/delta-writer.js';
import { addReasoning, type ParsedCompletion, type ParseOptions } from '../../../parsing/parse-completion.js';

const unread = {
  action: null,
  dialect: null,
  problem: null,
  thought: null,
  reasoning: null,
  confidence: 'exact',
  repairs: [],
  discarded: [],
  answerLabelled: false,
} as const;

/** Returns the whole text of a reply as the answer, without looking for actions or labels (rule: client-terms). */
export function takeAsAnswer(text: string, options: ParseOptions): ParsedCompletion {
  const outcome: ParsedCompletion =
    text.trim() === ''
      ? { ...unread, outcome: 'empty', answer: null }
      : { ...unread, outcome: 'answer', answer: text };
  return addReasoning(outcome, options);
}

/** Streams the text of a reply as the answer. */
export class PlainReader {
  #text = '';

  push(delta: string): ParseDelta[] {
    this.#text += delta;
    return delta === '' ? [] : [{ type: 'answer', delta }];
  }

  async endPausing(options: ParseOptions): Promise<{
    readonly completion: ParsedCompletion;
    readonly deltas: readonly ParseDelta[];
  }> {
    return { completion: takeAsAnswer(this.#text, options), deltas: [] };
  }
}
