import {
  emptyRun,
  type Run,
  type RunEvent,
  type RunView,
  reduceRun,
  replayRun,
  type StepRequestInput,
  type Trajectory,
} from '../../sdk/index.js';

/**
 * The view of a saved run, through the same reducer as a live one. No clock: a file does not say how long things took.
 * Rejects with `TypeError` for a file whose options no run can have.
 */
export async function playSaved(saved: Trajectory): Promise<RunView> {
  let view = emptyRun();
  const onRequest = (request: StepRequestInput): void => {
    view = reduceRun(view, { type: 'request_sent', request });
  };
  for await (const event of replayRun(saved, { onRequest }) as Run & AsyncIterable<RunEvent>) {
    view = reduceRun(view, event);
  }
  return view;
}
