import {
  type Run,
  type RunEvent,
  replayRun,
  type StepRequestInput,
  type Trajectory,
} from '../../sdk/index.js';
import { reduceRun } from './reduce-run.js';
import { emptyRun, type RunView } from './run-view.js';

/**
 * The view of a saved run, through the same reducer as a live one. No clock: a file does not say how long things took.
 * Rejects with `TypeError` for a file whose options no run can have.
 */
export async function playSaved(saved: Trajectory): Promise<RunView> {
  let view = emptyRun();
  const onRequest = (request: StepRequestInput): void => {
    view = reduceRun(view, { type: 'request', request, at: null });
  };
  for await (const event of replayRun(saved, { onRequest }) as Run & AsyncIterable<RunEvent>) {
    view = reduceRun(view, { type: 'event', event, at: null });
  }
  return view;
}
