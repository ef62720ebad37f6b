import type { ContextSource } from '../context/sources/context-source.js';
import type { TokenCounter } from '../tokens/token-counter.js';
import type { Patience } from './interruption.js';
import type { ModelProfile, Provider } from './provider.js';

/** What a step needs from outside: HTTP wires it, the agent uses it. */
export interface StepDependencies {
  readonly provider: Provider;
  readonly profile: ModelProfile;
  readonly tokens: TokenCounter;
  /** In the order in which they are asked. */
  readonly sources: readonly ContextSource[];
  readonly patience: Patience;
}
