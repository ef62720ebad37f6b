import type { ActionView, RunView } from '../../sdk/index.js';
import { wordFor } from '../text/word-for.js';

/** Returns the sentence that a screen reader should announce after a change; empty if there is none. */
export function announce(before: RunView, after: RunView): string {
  if (after.result && !before.result)
    return `The run has ended: ${wordFor(endings, after.result.stopReason)}.`;
  const step = after.steps.at(-1);
  if (!step) return '';
  const activity = after.activity;
  if (activity !== before.activity && activity?.type === 'approval') {
    return `Step ${step.number}: ${activity.tool} waits for your approval.`;
  }
  if (activity !== before.activity && activity?.type === 'question') {
    return `The model asks: ${activity.question.question}`;
  }
  if (after.steps.length > before.steps.length) return `Step ${step.number} begins.`;
  const earlier = new Map(before.steps.at(-1)?.actions.map((action) => [action.id, action.state]));
  const news = step.actions.filter(({ id, state }) => earlier.get(id) !== state).flatMap(newsOf);
  return news.length > 0 ? `Step ${step.number}: ${news.join(', ')}.` : '';
}

function newsOf({ tool, state }: ActionView): string[] {
  const words = {
    proposed: 'calls',
    done: 'done',
    failed: 'failed',
    denied: 'denied',
    skipped: 'not run',
    stopped: 'stopped',
  } as const;
  if (state === 'asked' || state === 'running') return [];
  return [state === 'proposed' ? `calls ${tool}` : `${tool} ${words[state]}`];
}

/** Explains each stop reason. */
export const endings = {
  answered: 'answered',
  denied: 'answered after a denial',
  step_limit: 'the steps are used up',
  stopped: 'stopped',
  needs_input: 'it waits for an answer from you',
  needs_approval: 'it waits for your approval',
  error: 'an error',
} as const;
