import { collectDefaultMetrics, Registry } from 'prom-client';

/** What the library counts under names that say what they are not: gauges that end like counters. */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];

/** Memory, processor, handles and event loop. Services in one process have one of them: it watches the process. */
export const processMetrics = new Registry();
collectDefaultMetrics({ register: processMetrics });
for (const name of misnamed) processMetrics.removeSingleMetric(name);
