import type { Health, Version } from '../../../contract/service-status.js';
import { RequestRefused } from '../failure/to-failure.js';
import type { AgentServices } from './agent-routes.js';
import type { Route } from './route.js';

interface Running extends Pick<AgentServices, 'agent' | 'inFlight'> {
  readonly version: string;
}

const ok: Health = { status: 'ok' };

/** Routes for liveness, readiness, version (rule: health) and the models that can be reached. None of them calls a model. */
export function statusRoutes({ inFlight, agent, version }: Running): Route[] {
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
    {
      path: '/api/agent/models',
      get: async (_request, response) => void response.json((await agent()).models.list()),
    },
  ];
}
