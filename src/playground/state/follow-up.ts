import { computed, signal } from '@preact/signals';
import type { RunOptions } from '../../sdk/index.js';
import { active, shown } from './runs.js';

/** The person's choice whether the next task continues a run; ignored while another run is visible. */
const choice = signal<{ readonly run: string; readonly followsUp: boolean } | null>(null);

/** True if the visible run has ended, so that the next task may continue it. */
export const canFollowUp = computed(
  () => active.value === null && Boolean(shown.value?.saved && shown.value.view.result),
);

/**
 * True if the next run continues the visible one. Without a choice of the person, it continues a run that was started
 * on this page and ended with an answer.
 */
export const followsUp = computed(() => {
  const branch = shown.value;
  if (!branch || !canFollowUp.value) return false;
  if (choice.value?.run === branch.id) return choice.value.followsUp;
  return branch.origin === 'live' && branch.view.result?.stopReason === 'answered';
});

export function chooseFollowUp(value: boolean): void {
  if (shown.value) choice.value = { run: shown.value.id, followsUp: value };
}

/** Returns the history, TODO list and session that a follow-up takes over from the visible run. */
export function followUpOptions(): Partial<RunOptions> {
  const saved = shown.value?.saved;
  if (!saved || !followsUp.value) return {};
  const { history, tasks, projectId, sessionId } = saved;
  return { history, tasks, projectId, sessionId };
}
