import type { ServiceMetrics } from '../../operations/metrics/service-metrics.js';
import type { Route } from './route.js';

/** What happens here, in the text format of Prometheus (rule: metrics). It takes no place of a step's, so it answers under load. */
export function metricsRoute(metrics: ServiceMetrics): Route {
  return {
    path: '/metrics',
    get: async (_request, response) => {
      const { contentType, text } = await metrics.read();
      response.set({ 'Content-Type': contentType, 'Cache-Control': 'no-store' }).send(text);
    },
  };
}
