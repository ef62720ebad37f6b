import { computed, effect } from '@preact/signals';
import { listing, project } from '../project/project.js';
import { EXAMPLE_STARTERS, startersFor } from '../project/starters.js';
import { draftTask } from './next-prompt.js';

/** Tasks that fit the open folder; empty until its files are listed. */
export const starters = computed<readonly string[]>(() => {
  if (project.value?.origin === 'example') return EXAMPLE_STARTERS;
  return project.value && listing.value.isDone ? startersFor(listing.value.paths) : [];
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
