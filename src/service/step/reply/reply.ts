import type { Parse } from '../../../contract/step.js';
import type { JsonValue } from '../../../parsing/text/scanner.js';
import type { Completion } from '../provider.js';

/**
 * An action that may be proposed: its tool is offered, and its arguments passed the check. For a client that answers
 * unfit calls itself, neither needs to hold (rule: whole-calls).
 */
export interface ReadAction {
  readonly name: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** The text of the call as the model wrote it. For a native call, its canonical form. */
  readonly raw: string;
  /** The provider's id of a native call. */
  readonly id?: string;
  /** State for the turn of a native call. */
  readonly providerState?: unknown;
}

/** A parsed reply of the model. Its calls may be written in the text or native. */
export interface Reply {
  readonly completion: Completion;
  readonly parse: Parse;
  readonly thought: string | null;
  /** True if the answer has a label, the JSON key `final_answer`, or is a native call that gives the answer. */
  readonly answerLabelled: boolean;
  /** The text for the user: an answer, or the whole text if an action could not be read; null if there is none. */
  readonly answer: string | null;
  /**
   * The actions that were read. There can be several only in native calling, or in a vendor's native format within the
   * text.
   */
  readonly actions: readonly ReadAction[];
  readonly reasoning: string | null;
  /** With `answer_schema`: the JSON values that the answer may have, the most likely first (rule: typed-answers). */
  readonly answerValues?: readonly JsonValue[];
}

/** The thought, answer and actions of a reply that has none of them. */
export const emptyReply = { thought: null, answerLabelled: false, answer: null, actions: [] } as const;

/** Returns the parse of a reply that needed no repair. */
export const exactParse = (outcome: Parse['outcome'], dialect: Parse['dialect']): Parse => ({
  outcome,
  dialect,
  confidence: 'exact',
  repairs: [],
  discarded: [],
  problem: null,
});
