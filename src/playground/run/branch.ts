import type { RunView, Trajectory } from '../../sdk/index.js';

/** A run that the page holds: lived here, or read from a file. */
export interface Branch {
  /** Unique on this page; never shown. */
  readonly id: string;
  readonly label: string;
  readonly origin: 'live' | 'file';
  /** Where it left another run; null for a run of its own. */
  readonly parent: ForkPoint | null;
  readonly view: RunView;
  /** As `run.save()` gives it, at the latest state there is; null before the first event. */
  readonly saved: Trajectory | null;
}

/** A branch keeps the steps of its parent before this one, and goes on from there with something changed. */
export interface ForkPoint {
  readonly branchId: string;
  /** The number of the step that was changed or done again. */
  readonly step: number;
  /** What was changed, in words. */
  readonly change: string;
}
