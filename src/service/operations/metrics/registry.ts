import { Registry } from 'prom-client';
import { processMetrics } from './process-metrics.js';
import { RequestMetrics } from './request-metrics.js';
import type { ServiceState } from './service-state.js';
import { addStateMetrics } from './state-metrics.js';
import { UpstreamMetrics, type Upstreams } from './upstream-metrics.js';

/** The text format of Prometheus, and its name. */
export interface Exposition {
  readonly contentType: string;
  readonly text: string;
}

/** All there is to count with: everything that needs the library is loaded with this file. */
export interface LoadedMetrics {
  readonly requests: RequestMetrics;
  readonly upstreams: UpstreamMetrics;
  read(): Promise<Exposition>;
}

export function openRegistry(state: ServiceState, asked: Upstreams): LoadedMetrics {
  const own = new Registry();
  const requests = new RequestMetrics(own);
  const upstreams = new UpstreamMetrics(own, asked);
  addStateMetrics(own, state);
  const all = Registry.merge([own, processMetrics]);
  const read = async () => ({ contentType: all.contentType, text: await all.metrics() });
  return { requests, upstreams, read };
}
