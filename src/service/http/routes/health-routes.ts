import type { Health, Version } from '../../../contract/service-status.js';
import { RequestRefused } from '../failure/request-refused.js';
import type { InFlight } from '../intake/in-flight.js';
import type { Route } from './route.js';

const ok: Health = { status: 'ok' };

/** Liveness, readiness and version (SPEC §14). Readiness never calls a model. */
export function healthRoutes(inFlight: InFlight, version: string): Route[] {
  const running: Version = { name: 'stepwise', version };
  return [
    { path: '/healthz', get: (_request, response) => void response.json(ok) },
    {
      path: '/readyz',
      get: (_request, response) => {
        if (inFlight.draining) throw new RequestRefused('shutting_down');
        response.json(ok);
      },
    },
    { path: '/version', get: (_request, response) => void response.json(running) },
  ];
}
