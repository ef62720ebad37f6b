import type { ActionView } from '../../sdk/index.js';

/** Returns the state of a tool call as the page shows it: a call that asks the person waits like one for approval. */
export const shownState = ({ state, question }: ActionView): ActionView['state'] =>
  question?.state === 'pending' ? 'asked' : state;
