import type { Request, Response } from 'express';
import type { Step } from '../../contract/step.js';
import type { StepRequest } from '../../contract/step-request.js';
import type { reactStep, StepObserver, StepResult } from '../agent/react-step.js';
import type { StepDependencies } from '../agent/step-dependencies.js';
import type { ContextSource } from '../context/context-source.js';
import type { ModelDirectory } from '../providers/create-provider.js';
import type { Secret } from '../providers/secret.js';
import { createTokenCounter } from '../tokens/token-counter.js';
import type { InFlight } from './in-flight.js';
import { parseStepRequest } from './parse-step-request.js';
import { type BodyLimits, readBody } from './read-body.js';
import { readModelKey } from './read-model-key.js';
import { RequestRefused } from './request-refused.js';
import { type RequestState, stateOf } from './request-state.js';
import { toStep } from './to-step.js';

export interface StepServices {
  readonly step: typeof reactStep;
  readonly models: ModelDirectory;
  readonly sourcesFor: (request: StepRequest) => readonly ContextSource[];
  readonly inFlight: InFlight;
  readonly body: BodyLimits;
  /** The longest a step may take, whatever the caller asks for. */
  readonly deadlineMs: number;
}

/** A step that only has to be run. */
export interface AcceptedStep {
  readonly request: StepRequest;
  run(observer?: StepObserver): Promise<Step>;
}

/**
 * Takes a step request in, cheapest check first: load, type and size, JSON, schema, model, key. Throws
 * `RequestRefused` for what does not hold.
 */
export async function acceptStep(
  request: Request,
  response: Response,
  services: StepServices,
): Promise<AcceptedStep> {
  const patience = services.inFlight.accept(response);
  const state = stateOf(response);
  state.signal = patience.signal;
  const parsed = parseStepRequest(await readBody(request, services.body, patience.signal));
  const { user_api_keys } = parsed.request;
  // Whoever works on the step has no business with the key.
  const step: StepRequest = { ...parsed.request, user_api_keys: undefined };
  state.echo = {
    sessionId: step.session_id,
    iterationsLeft: step.max_iterations_left,
    history: step.include?.history === false ? null : parsed.history,
  };
  patience.limit(Math.min(step.llm_config.deadlineMs ?? services.deadlineMs, services.deadlineMs));
  const key = readModelKey(request.get('X-LLM-API-Key') || user_api_keys?.llmKey);
  const dependencies = { ...connect(step, key, services), patience };
  return {
    request: step,
    run: async (observer) => {
      const result = await services.step(step, dependencies, observer);
      record(result, state);
      return toStep(result, { ...parsed, requestId: state.id });
    },
  };
}

/** The agent's dependencies for this request. Throws where no provider fits or its key is missing. */
function connect(
  request: StepRequest,
  key: Secret | undefined,
  { models, sourcesFor }: StepServices,
): Omit<StepDependencies, 'patience'> {
  const model = models.resolve(request.llm_config);
  if (!model) throw new RequestRefused('unsupported_model');
  if (model.keyRequired && !key) throw new RequestRefused('missing_api_key');
  const { profile } = model;
  return {
    provider: model.connect(key),
    profile,
    tokens: createTokenCounter(profile.encoding, { margin: profile.countMargin }),
    sources: sourcesFor(request),
  };
}

function record(result: StepResult, state: RequestState): void {
  state.outcome = result.error?.code ?? result.parse?.outcome ?? result.status;
  state.usage = result.usage;
}
