import type { StepError } from '../../../contract/step.js';
import { Interruption } from '../../step/interruption.js';
import { toFailure } from './to-failure.js';
import { sentencesOf } from './wire-failure.js';

/**
 * Describes the error that ended a step, for people who watch the step. If the caller left, the code is
 * `caller_left`.
 */
export function describeEnd(thrown: unknown): Pick<StepError, 'code' | 'message'> {
  if (thrown instanceof Interruption && thrown.reason === 'caller_left')
    return { code: 'caller_left', message: 'The caller left before the step ended.' };
  const failure = toFailure(thrown);
  return { code: failure.code, message: [failure.message, ...sentencesOf(failure)].join(' ') };
}
