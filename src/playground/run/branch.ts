import type { RunView, Trajectory } from '../../sdk/index.js';

/** A run on the page, either started here or read from a file. */
export interface Branch {
  /** Unique on this page; never visible. */
  readonly id: string;
  readonly label: string;
  readonly origin: 'live' | 'file';
  /** The place at which it left its parent; null for a run that is no branch. */
  readonly parent: ForkPoint | null;
  readonly view: RunView;
  /** The latest state, as `run.save()` returns it; null before the first event. */
  readonly saved: Trajectory | null;
}

/** The place at which a branch leaves its parent. It keeps the steps before. */
export interface ForkPoint {
  readonly branchId: string;
  /** Number of the step that was edited or redone. */
  readonly step: number;
  /** Description of the change. */
  readonly change: string;
}
