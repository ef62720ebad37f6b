import type { Step } from './step.js';

/** The fields of a step in which nothing was proposed, said or measured. */
export const blankStep = {
  thought: null,
  direct_response: null,
  action_details: null,
  additional_actions: [],
  new_turns: [],
  correction: null,
  control: null,
  phase: null,
  parse: null,
  context_report: null,
  signals: null,
  usage: null,
  model: null,
  provider: null,
  finish_reason: null,
  finish_reason_raw: null,
  reasoning: null,
  completion_text: null,
  warnings: [],
} satisfies Partial<Step>;
