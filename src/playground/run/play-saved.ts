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
 * Replays a saved run through the reducer of live runs. The views have no times, since files do not store them.
 * Rejects with `TypeError` if the file's options are invalid. Calls `onView` with each view and the event that led to
 * it, and waits for it.
 */
export async function playSaved(
  saved: Trajectory,
  onView: (view: RunView, event: RunEvent) => Promise<void> | void = () => undefined,
): Promise<RunView> {
  let view = emptyRun();
  const onRequest = (request: StepRequestInput): void => {
    view = reduceRun(view, { type: 'request_sent', request });
  };
  for await (const event of replayRun(saved, { onRequest }) as Run & AsyncIterable<RunEvent>) {
    view = reduceRun(view, event);
    await onView(view, event);
  }
  return view;
}
