import type { RecordedStep } from '../../sdk/index.js';
import { type DoneStep, isDone, type LiveSession } from './live-steps.js';

/**
 * Returns the steps of the run that a step belongs to. An answer ends a run, so a session with several questions
 * consists of several runs.
 */
export function runAround({ steps }: LiveSession, step: DoneStep): readonly DoneStep[] {
  const done = steps.filter(isDone);
  const at = done.indexOf(step);
  const start = done.slice(0, at).findLastIndex(({ state }) => endsRun(state.record)) + 1;
  const end = done.slice(at).findIndex(({ state }) => endsRun(state.record));
  return done.slice(start, end === -1 ? undefined : at + end + 1);
}

const endsRun = ({ response }: RecordedStep): boolean =>
  response.status === 'direct_response_provided' && !response.correction;
