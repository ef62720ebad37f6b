import type { ContextReport } from '../../contract/context-report.js';
import type { ActionDetails } from '../../contract/step.js';
import type { TokenCounter } from '../../tokens/token-counter.js';
import type { ContextSource } from '../context/sources/context-source.js';
import type { StepDeadline } from './interruption.js';
import type { ModelProfile, Provider } from './provider.js';

/** What is needed from outside to make a prompt: HTTP wires it, the agent uses it. */
export interface PromptDependencies {
  readonly profile: ModelProfile;
  readonly tokens: TokenCounter;
  /** In the order in which they are asked. */
  readonly sources: readonly ContextSource[];
  readonly deadline: StepDeadline;
  readonly during: During;
}

/** What a step does, one after the other, but for the model call, which is the provider's to tell. */
type Verb =
  | 'read_situation'
  | 'gather_context'
  | 'fit_to_budget'
  | 'render_prompt'
  | 'report_prompt'
  | 'read_reply'
  | 'conclude';

/**
 * Does the work of a verb and gives what the work gives, a promise or a value. HTTP hands in one that tells a trace how long
 * each verb took (rule: tracing); it holds nothing of the work.
 */
export type During = <Result>(verb: Verb, work: () => Result) => Result;

/** The same for a whole step. */
export interface StepDependencies extends PromptDependencies {
  readonly provider: Provider;
  /** The time that new turns are stamped with. */
  readonly now: () => Date;
}

/**
 * Watches a step as it happens (rule: stream-events). Each call is awaited, so a slow watcher slows the relay; where there
 * is nothing to wait for, no promise is made.
 */
export interface StepObserver {
  contextBuilt(report: ContextReport): Promise<void> | undefined;
  delta(kind: 'reasoning' | 'draft' | 'thought' | 'answer', delta: string): Promise<void> | undefined;
  actionProposed(action: ActionDetails): Promise<void> | undefined;
}
