import type { RequestHandler } from 'express';
import { onDemand } from '../../../event-loop/on-demand.js';
import type { RequestLimits } from '../intake/accept-request.js';
import type { Route } from './route.js';
import type { Agent, StepServices } from './step-routes.js';

export interface AgentServices extends RequestLimits {
  /** Loads the agent with the first call. */
  readonly agent: () => Promise<Agent>;
}

/**
 * The routes that make steps or prepare them. Their handlers are loaded with the first request, or after the start; no
 * deadline runs meanwhile.
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

/** Returns a handler that is loaded with its first request. */
export function loaded(load: () => Promise<RequestHandler>): RequestHandler {
  const handler = onDemand(load);
  return (request, response, next) =>
    handler.get().then((handle) => {
      // A caller who has left meanwhile would never give the slot back.
      return response.destroyed ? undefined : handle(request, response, next);
    });
}
