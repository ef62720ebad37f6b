import type { ContextReport } from '../../contract/context-report.js';
import type { ActionDetails } from '../../contract/step.js';

/** Watches a step as it happens (SPEC §9). Each call is awaited, so a slow watcher slows the relay. */
export interface StepObserver {
  contextBuilt(report: ContextReport): Promise<void>;
  delta(kind: 'reasoning' | 'draft' | 'thought' | 'answer', delta: string): Promise<void>;
  actionProposed(action: ActionDetails): Promise<void>;
}
