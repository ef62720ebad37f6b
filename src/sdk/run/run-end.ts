import type { Step, StepError } from '../../contract/step.js';
import { stepError } from '../../conversation/blank-step.js';
import type { InputRequest } from '../actions/client-tools.js';
import type { PendingApproval } from '../actions/pending-approval.js';
import { renderError } from '../actions/render-observation.js';
import { TerminalToolError, type TerminationReason } from '../actions/tool-errors.js';
import { StepwiseError } from '../base/stepwise-error.js';
import type { StopReason } from './run-result.js';

/** The end of a run. Omitted fields become null in the result. */
export interface RunEnd {
  readonly stopReason: StopReason;
  readonly answer?: string | null;
  /** The answer as data, if it has a schema and fits it. */
  readonly value?: unknown;
  readonly terminationReason?: TerminationReason;
  readonly error?: StepError;
  readonly inputRequest?: InputRequest;
  readonly pending?: readonly PendingApproval[];
}

export const stopped: RunEnd = { stopReason: 'stopped' };

/** The answer of a run that reached its step limit without one. */
export const OUT_OF_STEPS = 'The task could not be finished within the allowed number of steps.';

/** Returns the last text of a run that reached its step limit, after a sentence that it is no answer. */
export const unfinishedAnswer = (text: string | null): string =>
  text ? `${OUT_OF_STEPS}\n\n${text}` : OUT_OF_STEPS;

export const outOfSteps = (answer: string | null = null): RunEnd => ({
  stopReason: 'step_limit',
  terminationReason: 'STEP_LIMIT',
  answer,
});

/** Ends the run after a step with `status: error`: a refusal, a truncated action, an empty reply, or no iterations left. */
export function endOfFailedStep({ error }: Step): RunEnd {
  if (error?.code === 'iterations_exhausted') return outOfSteps();
  return { stopReason: 'error', ...(error && { error }) };
}

/**
 * Turns an exception into the end of the run, even if a guard or `approve` of the caller threw it: callers get a result
 * with the history so far instead of an exception.
 */
export function endOfException(error: unknown): RunEnd {
  if (error instanceof StepwiseError) return { stopReason: 'error', error: error.toStepError() };
  const terminationReason = error instanceof TerminalToolError ? error.reason : 'SYSTEM_ERROR';
  const code = terminationReason.toLowerCase();
  return { stopReason: 'error', terminationReason, error: clientError(code, renderError(error)) };
}

/**
 * Creates an error of the SDK in the form of the service's errors. `text` is the model's last text, which is no answer.
 */
export const clientError = (code: string, message: string, text: string | null = null): StepError =>
  stepError({ code, message, retryable: false }, { partial_text: text });
