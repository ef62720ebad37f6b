import type { RequestHandler } from 'express';
import { onDemand } from '../../event-loop/on-demand.js';
import type { Route } from './route.js';
import type { StepServices } from './step-routes.js';

/**
 * The routes that make steps or prepare them. What reads and answers is loaded with the first request, or sooner; no deadline
 * runs while that takes its time.
 */
export function agentRoutes(services: StepServices): Route[] {
  const withAgent = (load: () => Promise<RequestHandler>): RequestHandler =>
    loaded(async () => {
      const [handle] = await Promise.all([load(), services.agent()]);
      return handle;
    });
  return [
    {
      path: '/api/agent/react_step',
      post: withAgent(async () => (await import('./step-routes.js')).answerAsOne(services)),
    },
    {
      path: '/api/agent/react_step/stream',
      post: withAgent(async () => (await import('./step-routes.js')).answerAsEvents(services)),
    },
    {
      path: '/api/agent/context_preview',
      post: withAgent(async () => (await import('./preview-route.js')).answerPreview(services)),
    },
    {
      path: '/api/agent/compact_history',
      post: withAgent(async () => (await import('./compaction-route.js')).answerCompaction(services)),
    },
  ];
}

/** A handler that is loaded with the first request to it. */
export function loaded(load: () => Promise<RequestHandler>): RequestHandler {
  const handler = onDemand(load);
  return (request, response, next) =>
    handler.get().then((handle) => {
      // Whoever has left meanwhile would never give the place back.
      return response.destroyed ? undefined : handle(request, response, next);
    });
}
