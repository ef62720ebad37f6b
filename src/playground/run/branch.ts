import type { RunView, Trajectory } from '../../sdk/index.js';

/** A run on the page, either started here or read from a file. */
export interface Branch {
  /** Id that is unique on this page and names the run in links. */
  readonly id: string;
  readonly label: string;
  readonly origin: 'live' | 'file';
  /** The step at which the branch left its parent run; null for a run that is no branch. */
  readonly parent: ForkPoint | null;
  readonly view: RunView;
  /** The latest state, as `run.save()` returns it; null before the first event. */
  readonly saved: Trajectory | null;
}

/** The step at which a branch leaves its parent run. The branch keeps the steps before it. */
export interface ForkPoint {
  readonly branchId: string;
  /** Number of the step that was edited or redone. */
  readonly step: number;
  /** Description of the change. */
  readonly change: string;
}
