import type { RequestHandler } from 'express';
import { onDemand } from '../../../event-loop/on-demand.js';
import type { RequestLimits } from '../intake/accept-request.js';
import type { Route } from './route.js';
import type { Agent, StepServices } from './step-routes.js';

export interface AgentServices extends RequestLimits {
  /** Loaded with the first request, or sooner. */
  readonly agent: () => Promise<Agent>;
}

/**
 * The routes that make steps or prepare them. What reads and answers is loaded with the first request, or sooner; no deadline
 * runs while that takes its time.
 */
export function agentRoutes({ agent, inFlight, body, deadlineMs }: AgentServices): Route[] {
  const services = async (): Promise<StepServices> => ({ agent: await agent(), inFlight, body, deadlineMs });
  return [
    {
      path: '/api/agent/react_step',
      post: loaded(async () => (await import('./step-routes.js')).answerAsOne(await services())),
    },
    {
      path: '/api/agent/react_step/stream',
      post: loaded(async () => (await import('./step-routes.js')).answerAsEvents(await services())),
    },
    {
      path: '/api/agent/context_preview',
      post: loaded(async () => (await import('./preview-route.js')).answerPreview(await services())),
    },
    {
      path: '/api/agent/compact_history',
      post: loaded(async () => (await import('./compaction-route.js')).answerCompaction(await services())),
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
