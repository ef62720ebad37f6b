import type { Health, Readiness, Version } from '../../../contract/service-status.js';
import type { ServiceMetrics } from '../../operations/metrics/service-metrics.js';
import { RequestRefused } from '../failure/to-failure.js';
import type { Services } from '../services.js';
import type { Route } from './route.js';

const ok: Health = { status: 'ok' };

/**
 * Routes for liveness, readiness, version (rule: health), metrics (rule: metrics) and the list of models. None of
 * them calls a model or occupies a slot, so all of them work under load.
 */
export function statusRoutes({ inFlight, agent, version, metrics, watch }: Services): Route[] {
  const ready: Readiness = { status: 'ok', watch: watch ? 'on' : 'off' };
  const running: Version = { name: 'stepwise', version };
  return [
    { path: '/healthz', get: (_request, response) => void response.json(ok) },
    {
      path: '/readyz',
      get: (_request, response) => {
        if (inFlight.draining) throw new RequestRefused('shutting_down');
        response.json(ready);
      },
    },
    { path: '/version', get: (_request, response) => void response.json(running) },
    {
      path: '/api/agent/models',
      get: async (_request, response) => void response.json((await agent()).models.list()),
    },
    ...(metrics ? [metricsRoute(metrics, agent)] : []),
  ];
}

/** Serves the metrics in the text format of Prometheus. */
const metricsRoute = (metrics: ServiceMetrics, agent: Services['agent']): Route => ({
  path: '/metrics',
  get: async (_request, response) => {
    await agent(); // so that also the first scrape contains every configured upstream
    const { contentType, text } = await metrics.read();
    response.set({ 'Content-Type': contentType, 'Cache-Control': 'no-store' }).send(text);
  },
});
