import type { Step, StepError } from '../../contract/step.js';
import { stepError } from '../../conversation/blank-step.js';
import type { InputRequest } from '../actions/client-tools.js';
import { renderError } from '../actions/render-observation.js';
import { TerminalToolError, type TerminationReason } from '../actions/tool-errors.js';
import { StepwiseError } from '../base/stepwise-error.js';
import type { StopReason } from './run-result.js';

/** How a run ended; what is left out is empty in the result. */
export interface RunEnd {
  readonly stopReason: StopReason;
  readonly answer?: string | null;
  readonly terminationReason?: TerminationReason;
  readonly error?: StepError;
  readonly inputRequest?: InputRequest;
}

export const stopped: RunEnd = { stopReason: 'stopped' };

export const outOfSteps = (answer: string | null = null): RunEnd => ({
  stopReason: 'step_limit',
  terminationReason: 'STEP_LIMIT',
  answer,
});

/** A step that was made and still came to nothing: refusal, cut action, empty reply, no iterations left. */
export function endOfFailedStep({ error }: Step): RunEnd {
  if (error?.code === 'iterations_exhausted') return outOfSteps();
  return { stopReason: 'error', ...(error && { error }) };
}

/**
 * What an exception means to the run. Whatever it is, the run ends with a result: what was done is worth more
 * than a stack, also where a guard or an `approve` of the caller's threw.
 */
export function endOfException(error: unknown): RunEnd {
  if (error instanceof StepwiseError) return { stopReason: 'error', error: error.toStepError() };
  const terminationReason = error instanceof TerminalToolError ? error.reason : 'SYSTEM_ERROR';
  const code = terminationReason.toLowerCase();
  return { stopReason: 'error', terminationReason, error: clientError(code, renderError(error)) };
}

/** An error found on this side, in the wire's shape. */
export const clientError = (code: string, message: string): StepError =>
  stepError({ code, message, retryable: false });
