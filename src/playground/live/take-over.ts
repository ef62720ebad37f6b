import { runFile, runFileName } from '../branches/files/export-run.js';
import { notice } from '../branches/files/notice.js';
import { openRun } from '../branches/files/open-runs.js';
import { leaving } from '../branches/start-branch.js';
import { downloadText } from '../controls/download-text.js';
import { selected, shown } from '../state/runs.js';
import { modelKey, serviceToken } from '../state/settings.js';
import { type DoneStep, isDone, type LiveSession } from './live-steps.js';
import { isLive } from './live-view.js';
import { runAround } from './run-around.js';

/** Returns steps in the form in which the service records them, which the SDK, the CLI and evaluations read. */
const recordingOf = (steps: readonly DoneStep[]) => ({
  format: 'stepwise-run',
  version: 1,
  recorded_steps: steps.map(({ state }) => state.record),
});

/** Saves all answered steps of a session as a file for `stepwise eval`. */
export function saveAsTest(session: LiveSession): void {
  const secrets = [modelKey.value, serviceToken.value];
  const json = runFile(recordingOf(session.steps.filter(isDone)), secrets);
  downloadText(runFileName(session, secrets), json, 'application/json');
}

/** Opens the run of a step beside the runs of the page, and selects the step. Resolves once it is visible. */
export async function openAsRun(session: LiveSession, step: DoneStep): Promise<void> {
  const steps = runAround(session, step);
  const file = new Blob([JSON.stringify(recordingOf(steps))]);
  const refusal = await openRun(file, 'live');
  notice.value = refusal;
  if (refusal !== null) return;
  isLive.value = false;
  const number = numberOf(steps.indexOf(step));
  if (number !== null) selected.value = number;
}

/** Opens the run of a step, and asks what a branch from that step should change. */
export async function forkFrom(session: LiveSession, step: DoneStep): Promise<void> {
  await openAsRun(session, step);
  const branch = shown.value;
  const view = branch?.view.steps.find(({ number }) => number === selected.value?.step);
  if (isLive.value || !branch || !view) return;
  leaving.value = { branch, step: view, keepsStep: false };
}

/**
 * Finds the step and the call of the visible run to which the response with this index belongs; null if there is
 * none.
 */
function numberOf(response: number): typeof selected.value {
  const calls = (shown.value?.view.steps ?? []).flatMap(({ number, calls: ofStep }) =>
    ofStep.flatMap((call, index) => (call.response ? [{ step: number, call: index }] : [])),
  );
  return calls[response] ?? null;
}
