import type { StepObserver } from '../step/step-dependencies.js';

/**
 * Receives the text and the reasoning of a stream. The step awaits a returned promise, so a slow reader slows the
 * step.
 */
export interface TextSink {
  say(delta: string): Promise<void> | undefined;
  reason(delta: string): Promise<void> | undefined;
}

const BLANK_LINE = '\n\n';

/** The text that a stream has sent so far. The thought and the answer of a step are paragraphs of this text. */
export class SentText {
  readonly #sink: TextSink;
  #text = '';
  #reasoning = '';
  #last: 'thought' | 'answer' | undefined;

  readonly #holdsText: boolean;

  /** With `holdsText`, text is sent only when the answer is complete; reasoning is always sent as it arrives. */
  constructor(sink: TextSink, { holdsText }: { readonly holdsText: boolean }) {
    this.#sink = sink;
    this.#holdsText = holdsText;
  }

  /** Sends a delta of the first step as it arrives. */
  delta(kind: Parameters<StepObserver['delta']>[0], delta: string): Promise<void> | undefined {
    if (delta === '') return undefined;
    if (kind === 'reasoning') return this.#reason(delta);
    if (this.#holdsText) return undefined;
    const part = kind === 'answer' ? 'answer' : 'thought';
    const begins = part === 'answer' && this.#last === 'thought';
    this.#last = part;
    return this.#say(begins ? BLANK_LINE + delta : delta);
  }

  /**
   * Sends the text and the reasoning of the first step that have not been sent yet. Returns everything that was sent.
   */
  async finish(text: string, reasoning: string): Promise<{ text: string; reasoning: string }> {
    await this.#reason(restOf(reasoning, this.#reasoning));
    await this.#say(restOf(text, this.#text));
    return { text: this.#text, reasoning: this.#reasoning };
  }

  /** Sends the text and the reasoning of a later step after a blank line. Returns everything that was sent. */
  async append(text: string, reasoning: string): Promise<{ text: string; reasoning: string }> {
    await this.#reason(afterBlankLine(reasoning, this.#reasoning));
    await this.#say(afterBlankLine(text, this.#text));
    return { text: this.#text, reasoning: this.#reasoning };
  }

  #say(delta: string): Promise<void> | undefined {
    this.#text += delta;
    return delta === '' ? undefined : this.#sink.say(delta);
  }

  #reason(delta: string): Promise<void> | undefined {
    this.#reasoning += delta;
    return delta === '' ? undefined : this.#sink.reason(delta);
  }
}

const afterBlankLine = (text: string, before: string): string =>
  text === '' || before === '' ? text : BLANK_LINE + text;

/**
 * Returns the part of a text that was not sent yet. White space at the edges of the sent part is ignored. If the text
 * does not begin with the sent part, the beginning of that part was reasoning, which cannot be withdrawn: then
 * returns the whole text after a blank line, unless the sent part ends with it.
 */
function restOf(whole: string, sent: string): string {
  const begun = sent.trim();
  if (begun.endsWith(whole.trim())) return '';
  const at = whole.indexOf(begun);
  return at >= 0 && whole.slice(0, at).trim() === ''
    ? whole.slice(at + begun.length)
    : afterBlankLine(whole, sent);
}
