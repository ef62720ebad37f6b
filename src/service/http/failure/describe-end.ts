import type { StepError } from '../../../contract/step.js';
import { Interruption } from '../../step/interruption.js';
import { toFailure } from './to-failure.js';
import { sentencesOf } from './wire-failure.js';

/** Describes the error with which a step ended, for people who watch it: a caller who left is a cause of its own. */
export function describeEnd(thrown: unknown): Pick<StepError, 'code' | 'message'> {
  if (thrown instanceof Interruption && thrown.reason === 'caller_left')
    return { code: 'caller_left', message: 'The caller left before the step ended.' };
  const failure = toFailure(thrown);
  return { code: failure.code, message: [failure.message, ...sentencesOf(failure)].join(' ') };
}
