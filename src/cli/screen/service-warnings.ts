import type { Step } from '../../contract/step.js';
import type { RunView } from '../../sdk/view/run-view.js';

/**
 * Returns the warnings of a response for a person: the first of each kind in a run, since most are repeated with every step.
 * An unreadable action that is being corrected is shown as such instead.
 */
export function newWarnings({ warnings, correction }: Partial<Step>, { steps }: RunView): readonly string[] {
  const responses = steps.flatMap(({ calls }) => calls.flatMap(({ response }) => response ?? []));
  const shown = new Set(responses.flatMap((response) => codesOf(response)));
  return (warnings ?? [])
    .filter(({ code }) => !shown.has(code) && !(correction && code === 'unreadable_action'))
    .map(({ message }) => message.replace('on_last_iteration: "allow_action"', '--last-step act'));
}

/** Reads the codes; other versions of the service may send no warnings at all. */
const codesOf = ({ warnings }: Partial<Step>): readonly string[] => (warnings ?? []).map(({ code }) => code);
