import type { Activity } from '../../sdk/index.js';
import { useNow } from './use-now.js';

const TICK_MS = 100;

/** Shows the current activity and its duration, such as `Thinking · 3.2 s`. */
export function PhaseOverlay({ activity, paused }: { activity: Activity | null; paused: boolean }) {
  const now = useNow(TICK_MS);
  if (paused) return <p class="overlay overlay-paused">Paused before the next step</p>;
  if (!activity || activity.type === 'approval' || activity.type === 'question') return null;
  const seconds = Math.max(0, now - (activity.since ?? now)) / 1_000;
  return (
    <p class="overlay">
      <span class="spinner" aria-hidden="true" />
      <span dir="auto">{wordsFor(activity)}</span>
      <span class="figure muted"> · {seconds.toFixed(1)} s</span>
    </p>
  );
}

function wordsFor(activity: Activity): string {
  switch (activity.type) {
    case 'thinking':
      return 'Thinking';
    case 'writing':
      return 'Writing the answer';
    case 'retry':
      return `${activity.error.message} Trying again`;
    case 'tool':
      return `Running ${activity.tool}`;
    default:
      return 'Waiting';
  }
}
