import type { ContextReport } from '../../contract/context-report.js';
import type { ActionDetails, Step } from '../../contract/step.js';
import type { StepRequest } from '../../contract/step-request.js';
import type { StepDependencies } from './step-dependencies.js';

/** A step's answer; HTTP adds the request id and the caller's own history in front of `new_turns`. */
export type StepResult = Omit<Step, 'request_id' | 'updated_conversation_history'>;

/** Watches a step as it happens (SPEC §9). Each call is awaited, so a slow watcher slows the relay. */
export interface StepObserver {
  contextBuilt(report: ContextReport): Promise<void>;
  delta(kind: 'reasoning' | 'draft' | 'thought' | 'answer', delta: string): Promise<void>;
  actionProposed(action: ActionDetails): Promise<void>;
}

/** One step (SPEC §4). Throws `StepRefused`, `ProviderError` or `Interruption`. */
export declare function reactStep(
  request: StepRequest,
  dependencies: StepDependencies,
  observer?: StepObserver,
): Promise<StepResult>;
