import type { ServiceMetrics } from '../../operations/metrics/service-metrics.js';
import type { Route } from './route.js';

/** Answers with the metrics in the text format of Prometheus (rule: metrics). Takes no slot, so it answers under load. */
export function metricsRoute(metrics: ServiceMetrics): Route {
  return {
    path: '/metrics',
    get: async (_request, response) => {
      const { contentType, text } = await metrics.read();
      response.set({ 'Content-Type': contentType, 'Cache-Control': 'no-store' }).send(text);
    },
  };
}
