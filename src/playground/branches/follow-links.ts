import { batch, effect } from '@preact/signals';
import { branches, selected, shownId } from '../state/runs.js';
import { panel } from '../state/view-options.js';
import { formatLink, type Place, readLink } from './deep-link.js';
import { notice } from './files/notice.js';
import { openRun } from './files/open-runs.js';

/** Matches the ids of runs that `stepwise view` hands to the page. */
const HANDED = /^view-[\w-]+$/;

/**
 * Updates the address when another step becomes visible, and opens the run and step of an address that the person
 * typed, clicked or went back to.
 */
export function followLinks(): void {
  const follow = (): void => void showPlace(location.hash);
  addEventListener('popstate', follow);
  follow();
  effect(() => {
    const run = shownId.value;
    const step = selected.value?.step ?? null;
    if (run === null) return;
    const link = formatLink({ run, step });
    if (link !== location.hash) history.pushState(null, '', link);
  });
}

async function showPlace(hash: string): Promise<void> {
  if (hash === '' || hash === '#') return;
  const place = readLink(hash);
  notice.value = place
    ? ((await handOver(place)) ?? show(place))
    : 'This link names no run or step of this page.';
}

/** Fetches a run that `stepwise view` holds for this page; returns the reason if that fails, otherwise null. */
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
    selected.value = step === null ? null : { step, call: 0 };
    panel.value = 'run';
  });
  if (step !== null)
    requestAnimationFrame(() => document.getElementById(`step-${step}`)?.scrollIntoView({ block: 'center' }));
  return null;
}
