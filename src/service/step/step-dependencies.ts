import type { ContextReport } from '../../contract/context-report.js';
import type { ActionDetails } from '../../contract/step.js';
import type { StepOrigin } from '../../contract/watch.js';
import type { TokenCounter } from '../../tokens/token-counter.js';
import type { ContextSource } from '../context/sources/context-source.js';
import type { StepDeadline } from './interruption.js';
import type { ModelProfile, Provider } from './provider.js';

/** Everything that a preview needs from its caller. */
export interface PromptDependencies {
  readonly profile: ModelProfile;
  readonly tokens: TokenCounter;
  /** Sources of context, in the order in which they are queried. */
  readonly sources: readonly ContextSource[];
  readonly deadline: StepDeadline;
  readonly during: During;
}

/** Everything that a step needs from its caller. */
export interface StepDependencies extends PromptDependencies {
  readonly provider: Provider;
  /** Removes the caller's key and the upstream's credentials from a text before it is recorded. */
  readonly redact: (text: string) => string;
  /** The clock for the timestamps of new turns. */
  readonly now: () => Date;
  /** The request that the step belongs to, for observers; the step itself does not read it. */
  readonly origin?: StepOrigin | undefined;
}

/** The stages of a step for which the step creates spans. The provider creates the span of the model call. */
type Stage =
  | 'read_situation'
  | 'gather_context'
  | 'fit_to_budget'
  | 'render_prompt'
  | 'read_reply'
  | 'conclude';

/** Runs `work` inside a span named after the stage. Returns its result, a promise or a value (rule: tracing). */
export type During = <Result>(stage: Stage, work: () => Result) => Result;

/**
 * Observes a step while it runs (rule: stream-events). The step awaits each promise that a method returns, so a
 * slow observer slows the step. A method that has nothing to wait for returns undefined.
 */
export interface StepObserver {
  contextBuilt(report: ContextReport): Promise<void> | undefined;
  delta(kind: 'reasoning' | 'draft' | 'thought' | 'answer', delta: string): Promise<void> | undefined;
  actionProposed(action: ActionDetails): Promise<void> | undefined;
}
