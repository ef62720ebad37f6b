import type { Request, RequestHandler, Response } from 'express';
import type { ErrorCode } from '../../../contract/error-codes.js';
import type { SourceStep } from '../../../contract/source-step.js';
import type { Step } from '../../../contract/step.js';
import { type StepRequest, stepRequestSchema } from '../../../contract/step-request.js';
import type { ConnectionProblem } from '../../../network/connection-problem.js';
import type { StepObserver, StepResult } from '../../step/react-step.js';
import {
  type AcceptedRequest,
  acceptRequest,
  connect,
  promptDependencies,
  resolveModel,
} from '../intake/accept-request.js';
import { type RequestState, recordUsage, stateOf } from '../middleware/request-state.js';
import type { Agent, LoadedServices } from '../services.js';
import { EventStream } from './event-stream.js';
import { sendAnswer } from './send-answer.js';
import { toReport, toStep } from './to-step.js';

/** Handles a step with one JSON response. */
export function answerAsOne(services: LoadedServices): RequestHandler {
  return async (request, response) => {
    sendAnswer(response, await answerStep({ request, response }, services));
  };
}

/** Handles a step with a stream of events (rule: stream-events). */
export function answerAsEvents(services: LoadedServices): RequestHandler {
  return async (request, response) => {
    const events = new EventStream(response);
    stateOf(response).events = events;
    events.complete(await answerStep({ request, response }, services, events));
  };
}

/**
 * Accepts a step and makes it, and sends its progress to `events`. This function and those below are not async, because
 * an async function would keep the request in memory while the model is awaited (rule: lean-waiting).
 */
function answerStep(
  exchange: { readonly request: Request; readonly response: Response },
  services: LoadedServices,
  events?: EventStream,
): Promise<Step | SourceStep> {
  return acceptRequest(stepRequestSchema, { ...exchange, answersStep: true }, services).then((accepted) =>
    makeStep(accepted, services.agent, events && relayTo(events, accepted.request)),
  );
}

function makeStep(
  accepted: AcceptedRequest<StepRequest>,
  agent: Agent,
  observer: StepObserver | undefined,
): Promise<Step | SourceStep> {
  const { request, state } = accepted;
  const model = resolveModel(request.llm_config, agent.models);
  const dependencies = {
    ...promptDependencies(model, accepted),
    ...connect(model, accepted),
    now: () => new Date(),
    sources: agent.sourcesFor(request, contextOptions(state)),
    origin: { requestId: state.id, endpoint: 'react_step' as const },
  };
  return agent.step(request, dependencies, observer).then(toResponseFor(accepted, state));
}

/**
 * Returns a function that builds the response from the result. The function keeps only those fields of the request
 * that the response needs.
 */
function toResponseFor(
  { request: { include }, history, warnings }: AcceptedRequest<StepRequest>,
  state: RequestState,
): (result: StepResult) => Step | SourceStep {
  return (result) => toStep(record(result, state), { include, history, warnings, requestId: state.id });
}

/**
 * Returns the context service's options for one request: the headers of its trace, and a callback that records a
 * connection problem for the log.
 */
export const contextOptions = (state: RequestState) => ({
  headers: state.trace.headers,
  onConnectionProblem: (problem: ConnectionProblem) => {
    state.contextProblem = problem;
  },
});

/** Records the outcome and the usage of a step for the log and the metrics. Returns the step. */
export function record(result: StepResult, state: RequestState): StepResult {
  // Cast: a step's error code is in the error table, but the contract declares it as an open string.
  const code = result.error?.code as ErrorCode | undefined;
  state.outcome = code ?? result.parse?.outcome ?? result.status;
  recordUsage(state, result.usage);
  return result;
}

/** Returns an observer that sends the progress of a step as events. */
function relayTo(events: EventStream, { include }: StepRequest): StepObserver {
  return {
    contextBuilt: (report) =>
      events.send({ type: 'context.built', report: toReport(report, include?.report) }),
    delta: (kind, delta) => events.send({ type: `${kind}.delta`, delta }),
    actionProposed: (action) => events.send({ type: 'action.proposed', action }),
  };
}
