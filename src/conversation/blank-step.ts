import type { Step, StepError } from '../contract/step.js';

/** The fields of a step in which nothing was proposed, said or measured (rule: null-never-empty). */
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

/** What is always known of a failure. */
type KnownError = Pick<StepError, 'code' | 'message' | 'retryable'>;

/** The `error` field of a body: what is not given is null (rule: one-failure-body). */
export function stepError(
  { code, message, retryable }: KnownError,
  given: Partial<Omit<StepError, keyof KnownError>> = {},
): StepError {
  return {
    code,
    message,
    retryable,
    provider: null,
    upstream_status: null,
    retry_after_ms: null,
    details: [],
    partial_text: null,
    ...given,
  };
}
