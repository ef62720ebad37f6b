import type { Logger } from 'pino';
import type { contextSources } from '../context/sources/context-sources.js';
import type { AccessTokens } from '../operations/access/access-tokens.js';
import type { ServiceMetrics } from '../operations/metrics/service-metrics.js';
import type { ModelDirectory } from '../providers/create-model-directory.js';
import type { compactHistory } from '../step/compaction/compact-history.js';
import type { previewStep, reactStep } from '../step/react-step.js';
import type { WatchRoom } from '../watching/watch-room.js';
import type { RequestLimits } from './intake/accept-request.js';

/** The functions that make steps, and the models that they use. */
export interface Agent {
  readonly models: ModelDirectory;
  readonly step: typeof reactStep;
  readonly preview: typeof previewStep;
  readonly compact: typeof compactHistory;
  readonly sourcesFor: ReturnType<typeof contextSources>;
}

/** Everything that the routes use. */
export interface Services extends RequestLimits {
  /** Returns the agent, which is loaded on the first call. */
  readonly agent: () => Promise<Agent>;
  readonly log: Logger;
  /** Version of the package. */
  readonly version: string;
  /** Bearer tokens. Without them, everybody who can reach the port may call. */
  readonly tokens?: AccessTokens | undefined;
  readonly metrics?: ServiceMetrics | undefined;
  /** The steps to watch; undefined if the operator has not enabled watching. */
  readonly watch?: WatchRoom | undefined;
}

/** The services of a handler that is loaded together with the agent. */
export interface LoadedServices extends Omit<Services, 'agent'> {
  readonly agent: Agent;
}

/** Returns the services with their agent, which is loaded on the first call. */
export const loadServices = async (services: Services): Promise<LoadedServices> => ({
  ...services,
  agent: await services.agent(),
});
