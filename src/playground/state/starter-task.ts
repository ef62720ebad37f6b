import { computed, effect } from '@preact/signals';
import { listing, project } from '../project/project.js';
import { startersFor } from '../project/starters.js';
import { draftTask } from './next-prompt.js';

/** Tasks that fit the open folder; empty until its files are listed. */
export const starters = computed(() => {
  const open = project.value;
  if (!open || (open.origin !== 'example' && listing.value.isDone === false)) return [];
  return startersFor(open.origin, listing.value.paths);
});

/** Fills the task field with the first starter of each folder that is opened, unless the person wrote a task. */
export function offerStarter(): () => void {
  let offered = '';
  return effect(() => {
    const [first = ''] = starters.value;
    if (draftTask.peek() !== offered) return;
    offered = first;
    draftTask.value = first;
  });
}
