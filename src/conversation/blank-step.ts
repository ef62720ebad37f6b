import type { Step, StepError } from '../contract/step.js';

/** Empty values for all fields of a step: null, or an empty array (rule: null-never-empty). */
export const blankStep = {
  thought: null,
  direct_response: null,
  answer: null,
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
  recorded_step: null,
  warnings: [],
} satisfies Partial<Step>;

/** The fields of an error that callers of `stepError` must set. */
type RequiredErrorFields = Pick<StepError, 'code' | 'message' | 'retryable'>;

/**
 * Builds the `error` field of a response body. Fields that are not given are null or empty
 * (rule: one-failure-body).
 */
export function stepError(
  { code, message, retryable }: RequiredErrorFields,
  given: Partial<Omit<StepError, keyof RequiredErrorFields>> = {},
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
