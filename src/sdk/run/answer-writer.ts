import type { RunEvent } from './run-events.js';

/** Turns the events of a run into the text of its answer. Text that was returned once cannot be taken back. */
export class AnswerWriter {
  #written = '';
  /**
   * True if text was returned before an attempt failed or a new step began: later text may repeat the returned text.
   */
  #isStale = false;

  /** Returns the text of the answer that an event adds; empty if it adds none. */
  read(event: RunEvent): string {
    if (event.type === 'agent_error' || event.type === 'agent_turn_start')
      this.#isStale = this.#written !== '';
    if (event.type !== 'answer_delta' || this.#isStale) return '';
    this.#written += event.delta;
    return event.delta;
  }

  /**
   * Returns the part of the final answer that was not returned yet: the whole answer if it differs from the returned
   * text.
   */
  rest(answer: string): string {
    if (answer.startsWith(this.#written)) return answer.slice(this.#written.length);
    return answer.trim() === this.#written.trim() ? '' : `\n\n${answer}`;
  }
}
