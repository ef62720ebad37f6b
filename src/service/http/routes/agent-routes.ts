import type { RequestHandler } from 'express';
import { onDemand } from '../../../event-loop/on-demand.js';
import { loadServices, type Services } from '../services.js';
import type { Route } from './route.js';

/**
 * Routes that make or prepare steps. Their handlers are loaded after startup or with the first request. The
 * request's deadline does not run while they load.
 */
export function agentRoutes(services: Services): Route[] {
  const load = () => loadServices(services);
  return [
    {
      path: '/api/agent/react_step',
      post: loaded(async () => (await import('./step-routes.js')).answerAsOne(await load())),
    },
    {
      path: '/api/agent/react_step/stream',
      post: loaded(async () => (await import('./step-routes.js')).answerAsEvents(await load())),
    },
    {
      path: '/api/agent/context_preview',
      post: loaded(async () => (await import('./preview-route.js')).answerPreview(await load())),
    },
    {
      path: '/api/agent/compact_history',
      post: loaded(async () => (await import('./compaction-route.js')).answerCompaction(await load())),
    },
  ];
}

/** Returns a handler that is loaded with its first request. */
export function loaded(load: () => Promise<RequestHandler>): RequestHandler {
  const handler = onDemand(load);
  return (request, response, next) =>
    handler.get().then((handle) => {
      // Without this check, a caller who has left in the meantime would never release its slot.
      return response.destroyed ? undefined : handle(request, response, next);
    });
}
