import { signal } from '@preact/signals';
import { emptyRun, type RunEvent, type RunView, readTrajectory, type Trajectory } from '../../sdk/index.js';
import { notice } from '../branches/files/notice.js';
import { playSaved } from '../run/play-saved.js';
import { addRun, amendBranch, branches, shownId } from '../state/runs.js';

/** Prefix of the ids of the recorded runs. */
const ID = 'recorded';
const FOLLOW_UP_ID = `${ID}-follow-up`;

/** Pause after an event, by its type, to let people read. There is no pause after other events. */
const READING_MS: Partial<Record<RunEvent['type'], number>> = {
  agent_turn_start: 500,
  agent_reason: 1_100,
  tool_complete: 700,
  tool_error: 1_500,
};

/** Ends all pauses of the tour that is playing; null if none is. */
export const skipPauses = signal<(() => void) | null>(null);

/** True for a run of the tour. */
export const isRecorded = (id: string): boolean => id.startsWith(ID);

/**
 * Opens the recorded runs of the tour and plays the first. Its follow-up is beside it in the list of runs. Plays
 * without pauses for people who prefer reduced motion.
 */
export async function watchTour(): Promise<void> {
  if (branches.value.some(({ id }) => id === ID)) {
    shownId.value = ID;
    return;
  }
  const response = await fetch('/playground/tour.json').catch(() => null);
  if (!response?.ok) {
    notice.value = 'The recorded run could not be loaded.';
    return;
  }
  const [first, followUp] = ((await response.json()) as readonly unknown[]).map((saved) =>
    withOfflineModel(readTrajectory(JSON.stringify(saved))),
  );
  if (!first || !followUp) return;
  const recorded = { origin: 'file', parent: null } as const;
  const view = await playSaved(followUp);
  addRun({ ...recorded, label: `Recorded follow-up: ${followUp.task}`, view, saved: followUp }, FOLLOW_UP_ID);
  // While the run plays, the page treats it like a live one: in progress, with the newest step inspected.
  const playing = { ...recorded, origin: 'live' } as const;
  addRun({ ...playing, label: `Recorded: ${first.task}`, view: emptyRun(), saved: null }, ID);
  branches.value = branches.value.toSorted(
    (one, other) => Number(one.id === FOLLOW_UP_ID) - Number(other.id === FOLLOW_UP_ID),
  );
  const pauses = new Pauses();
  skipPauses.value = () => pauses.end();
  const show = (next: RunView, event: RunEvent): Promise<void> => {
    amendBranch(ID, { view: next });
    return pauses.pause(READING_MS[event.type] ?? 0);
  };
  amendBranch(ID, { view: await playSaved(first, show), saved: first, origin: 'file' });
  skipPauses.value = null;
}

/** The scripted model exists only in the recording, so branches begin with the model that needs no key. */
function withOfflineModel(saved: Trajectory): Trajectory {
  const { provider: _, ...llmConfig } = saved.options.llmConfig;
  return { ...saved, options: { ...saved.options, llmConfig: { ...llmConfig, modelName: 'offline' } } };
}

class Pauses {
  #areOver = matchMedia('(prefers-reduced-motion: reduce)').matches;
  #current: () => void = () => undefined;

  pause(milliseconds: number): Promise<void> {
    if (this.#areOver || milliseconds === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#current = resolve;
      setTimeout(resolve, milliseconds);
    });
  }

  end(): void {
    this.#areOver = true;
    this.#current();
  }
}
