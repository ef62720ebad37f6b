import type { StepRequest } from '../../contract/step-request.js';
import type { StepObserver } from '../agent/react-step.js';
import { acceptStep, type StepServices } from './accept-step.js';
import { EventStream } from './event-stream.js';
import { stateOf } from './request-state.js';
import type { Route } from './route.js';
import { toReport } from './to-step.js';

/** One step, as one answer or as events (SPEC §1, §9). */
export function stepRoutes(services: StepServices): Route[] {
  return [
    {
      path: '/api/agent/react_step',
      post: async (request, response) => {
        const accepted = await acceptStep(request, response, services);
        response.json(await accepted.run());
      },
    },
    {
      path: '/api/agent/react_step/stream',
      post: async (request, response) => {
        const accepted = await acceptStep(request, response, services);
        const state = stateOf(response);
        const events = new EventStream(response, state.id);
        state.events = events;
        const step = await accepted.run(relayTo(events, accepted.request));
        await events.send({ type: 'step.completed', step });
        events.end();
      },
    },
  ];
}

/** What the agent tells while it works, as events. */
function relayTo(events: EventStream, { include }: StepRequest): StepObserver {
  return {
    contextBuilt: (report) =>
      events.send({ type: 'context.built', report: toReport(report, include?.report) }),
    delta: (kind, delta) => events.send({ type: `${kind}.delta`, delta }),
    actionProposed: (action) => events.send({ type: 'action.proposed', action }),
  };
}
