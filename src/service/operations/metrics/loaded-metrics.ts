import { collectDefaultMetrics, Registry } from 'prom-client';
import { RequestMetrics } from './request-metrics.js';
import { addStateMetrics, type ServiceState } from './state-metrics.js';
import { UpstreamMetrics } from './upstream-metrics.js';

/** Produces the metrics in the text format of Prometheus. */
export interface Exposition {
  readonly contentType: string;
  readonly text: string;
}

/** All metrics of a service. This file and its imports load the Prometheus library. */
export interface LoadedMetrics {
  readonly requests: RequestMetrics;
  readonly upstreams: UpstreamMetrics;
  read(): Promise<Exposition>;
}

export async function loadMetrics(
  state: ServiceState,
  upstreamsInFlight: ReadonlyMap<string, number>,
): Promise<LoadedMetrics> {
  const own = new Registry();
  const requests = new RequestMetrics(own);
  const upstreams = new UpstreamMetrics(own, { names: await state.upstreams(), inFlight: upstreamsInFlight });
  addStateMetrics(own, state);
  const all = Registry.merge([own, processMetrics]);
  const read = async () => ({ contentType: all.contentType, text: await all.metrics() });
  return { requests, upstreams, read };
}

/** Process metrics: memory, CPU, handles and event loop. Services in one process share them. */
const processMetrics = new Registry();
collectDefaultMetrics({ register: processMetrics });

/** Gauges of the Prometheus library whose names end in `_total`, although only names of counters should. */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];
for (const name of misnamed) processMetrics.removeSingleMetric(name);
