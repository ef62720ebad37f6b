import type { Step } from '../../contract/step.js';
import type { RunView } from '../../sdk/view/run-view.js';

/**
 * Returns the warnings of a response that a person should see: the first of each kind in a run, since most are
 * repeated with every step. Leaves out the warning about an unreadable action, which `unreadableProblem` explains.
 */
export function newWarnings(response: Step, { steps }: RunView): readonly string[] {
  const earlier = steps.flatMap(({ calls }) => calls.flatMap((call) => call.response ?? []));
  const shown = new Set(['unreadable_action', ...earlier.flatMap(warningsOf).map(({ code }) => code)]);
  return warningsOf(response)
    .filter(({ code }) => !shown.has(code))
    .map(({ message }) => message.replace('on_last_iteration: "allow_action"', '--last-step act'));
}

/** Reads the warnings; other versions of the service may send none. */
const warningsOf = ({ warnings }: Partial<Step>): Step['warnings'] => warnings ?? [];

/** Returns why the action could not be read; undefined if the reply had no unreadable action. */
export function unreadableProblem({ correction, parse }: Step): string | undefined {
  const isUnreadable = parse?.outcome === 'malformed_action' || parse?.outcome === 'unknown_tool';
  return ((correction || isUnreadable) && parse?.problem) || undefined;
}
