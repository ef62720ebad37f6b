import type { ActionView } from '../../sdk/index.js';

/**
 * Returns the state of a tool call for the page. A call that asks the person a question has the same state as one
 * that waits for approval.
 */
export const shownState = ({ state, question }: ActionView): ActionView['state'] =>
  question?.state === 'pending' ? 'asked' : state;
