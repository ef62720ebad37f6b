import type { Request, Response } from 'express';
import type { Step } from '../../../contract/step.js';
import { type StepRequest, stepRequestSchema } from '../../../contract/step-request.js';
import type { reactStep, StepObserver, StepResult } from '../../agent/react-step.js';
import type { ContextSource } from '../../context/sources/context-source.js';
import type { ModelDirectory } from '../../providers/create-model-directory.js';
import { acceptRequest, connect, type RequestLimits, resolveModel } from '../intake/accept-request.js';
import { type RequestState, stateOf } from '../middleware/request-state.js';
import { EventStream } from './event-stream.js';
import type { Route } from './route.js';
import { sendJson } from './send-json.js';
import { toReport, toStep } from './to-step.js';

export interface StepServices extends RequestLimits {
  readonly step: typeof reactStep;
  readonly models: ModelDirectory;
  readonly sourcesFor: (request: StepRequest) => readonly ContextSource[];
}

/** A step that only has to be run. */
interface AcceptedStep {
  readonly request: StepRequest;
  run(observer?: StepObserver): Promise<Step>;
}

/** One step, as one answer or as events (rule: stream-events). */
export function stepRoutes(services: StepServices): Route[] {
  return [
    {
      path: '/api/agent/react_step',
      post: async (request, response) => {
        const accepted = await acceptStep(request, response, services);
        await sendJson(response, await accepted.run());
      },
    },
    {
      path: '/api/agent/react_step/stream',
      post: async (request, response) => {
        const accepted = await acceptStep(request, response, services);
        const state = stateOf(response);
        const events = new EventStream(response, state);
        state.events = events;
        const step = await accepted.run(relayTo(events, accepted.request));
        await events.end({ type: 'step.completed', step });
      },
    },
  ];
}

async function acceptStep(
  request: Request,
  response: Response,
  services: StepServices,
): Promise<AcceptedStep> {
  const accepted = await acceptRequest(stepRequestSchema, { request, response }, services);
  const { request: step, deadline, state } = accepted;
  const model = resolveModel(step.llm_config, services.models);
  const provider = connect(model, accepted);
  const dependencies = {
    profile: model.profile,
    tokens: model.tokenCounter(deadline.signal),
    provider,
    deadline,
    now: () => new Date(),
    sources: services.sourcesFor(step),
  };
  return {
    request: step,
    run: async (observer) => {
      const result = await services.step(step, dependencies, observer);
      record(result, state);
      return toStep(result, { ...accepted, requestId: state.id });
    },
  };
}

function record(result: StepResult, state: RequestState): void {
  state.outcome = result.error?.code ?? result.parse?.outcome ?? result.status;
  state.usage = result.usage;
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
