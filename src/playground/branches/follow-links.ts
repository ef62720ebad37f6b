import { batch, effect } from '@preact/signals';
import { isLive, LIVE_LINK } from '../live/live-view.js';
import { branches, openingStep, selected, shownId } from '../state/runs.js';
import { panel } from '../state/view-options.js';
import { formatLink, type Place, readLink } from './deep-link.js';
import { notice } from './files/notice.js';
import { openRun } from './files/open-runs.js';

/** Matches the ids of runs that `stepwise view` opens on the page. */
const HANDED = /^view-[\w-]+$/;

/**
 * Updates the address when another step becomes visible, and opens the run and step of an address that the person
 * typed, clicked or went back to.
 */
export function followLinks(): void {
  const follow = (): void => void showPlace(location.hash);
  addEventListener('popstate', follow);
  // Leaves the view of all clients' steps when a run becomes visible, such as an imported one.
  shownId.subscribe(() => {
    isLive.value = false;
  });
  follow();
  effect(() => {
    const link = linkOf(shownId.value, selected.value?.step ?? null);
    if (link !== location.hash) history.pushState(null, '', link || location.pathname);
  });
}

/** Returns the URL fragment of the visible run and step; empty before the first run. */
function linkOf(run: string | null, step: number | null): string {
  if (isLive.value) return LIVE_LINK;
  return run === null ? '' : formatLink({ run, step });
}

async function showPlace(hash: string): Promise<void> {
  isLive.value = hash === LIVE_LINK;
  if (isLive.value || hash === '' || hash === '#') return;
  const place = readLink(hash);
  notice.value = place
    ? ((await handOver(place)) ?? show(place))
    : 'This link names no run or step of this page.';
}

/** Fetches and opens a run that `stepwise view` provides for this page. Returns null, or the reason for a failure. */
async function handOver({ run }: Place): Promise<string | null> {
  if (!HANDED.test(run) || branches.value.some(({ id }) => id === run)) return null;
  const gone = 'The command that opened this run has ended: open the file again.';
  const response = await fetch(`/playground/runs/${run}`).catch(() => null);
  return response?.ok ? openRun(await response.blob(), 'The file', run) : gone;
}

function show({ run, step }: Place): string | null {
  const branch = branches.value.find(({ id }) => id === run);
  if (!branch)
    return 'The run of this link is not on this page, because a reload discards runs. Import its file to see it.';
  const { length } = branch.view.steps;
  if (step !== null && (step < 1 || step > length)) return `This run has no step ${step}: it has ${length}.`;
  batch(() => {
    shownId.value = run;
    selected.value = step === null ? openingStep(branch) : { step, call: 0 };
    panel.value = 'run';
  });
  if (step !== null)
    requestAnimationFrame(() => document.getElementById(`step-${step}`)?.scrollIntoView({ block: 'center' }));
  return null;
}
