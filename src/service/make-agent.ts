import { compactHistory } from './agent/compaction/compact-history.js';
import { previewStep, reactStep } from './agent/react-step.js';
import type { Config } from './config.js';
import { contextSources } from './context/sources/context-sources.js';
import type { Agent } from './http/routes/step-routes.js';
import type { ServiceMetrics } from './metrics/service-metrics.js';

/** What makes steps: a third of all code, of which nothing is needed to listen. To be loaded after that. */
export function makeAgent(config: Config, metrics: ServiceMetrics): Agent {
  return {
    step: metrics.timed(reactStep),
    preview: previewStep,
    compact: compactHistory,
    sourcesFor: contextSources(config),
  };
}
