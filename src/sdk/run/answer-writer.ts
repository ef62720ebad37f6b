import type { RunEvent } from './run-events.js';

/** Turns the events of a run into the text of its answer. Text that was returned once cannot be taken back. */
export class AnswerWriter {
  #written = '';
  /**
   * True if an attempt failed, or a step ended, after text of it had been returned: later text may repeat the
   * returned text.
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

  /** Returns the rest of the answer at the end of the run: the whole answer if it differs from the text before. */
  rest(answer: string): string {
    if (answer.startsWith(this.#written)) return answer.slice(this.#written.length);
    return answer.trim() === this.#written.trim() ? '' : `\n\n${answer}`;
  }
}
