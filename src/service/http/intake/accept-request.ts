import type { Request, Response } from 'express';
import type { z } from 'zod';
import type { LlmConfig, StepRequest } from '../../../contract/step-request.js';
import type { StepDependencies } from '../../agent/step-dependencies.js';
import type { ModelDirectory, ResolvedModel } from '../../providers/create-model-directory.js';
import { RequestRefused } from '../failure/request-refused.js';
import { type RequestState, stateOf } from '../middleware/request-state.js';
import type { InFlight } from './in-flight.js';
import { type ParsedRequest, parseRequest } from './parse-request.js';
import { readModelKey } from './read-model-key.js';
import { type BodyLimits, readBody } from './read-request-body.js';

/** What every request about a run says. */
type RunRequest = Pick<StepRequest, 'session_id' | 'llm_config' | 'user_api_keys'> &
  Partial<Pick<StepRequest, 'max_iterations_left' | 'include'>>;

export interface RequestLimits {
  readonly inFlight: InFlight;
  readonly body: BodyLimits;
  /** The longest a request may take, whatever the caller asks for. */
  readonly deadlineMs: number;
}

/** A request that was read, and who waits for its answer. */
export interface AcceptedRequest<Body> extends ParsedRequest<Body> {
  readonly deadline: StepDependencies['deadline'];
  readonly state: RequestState;
  /** The model key as sent, not yet looked at: whoever calls no model has no business with it. */
  readonly sentKey: string | undefined;
}

/** Takes a request in, cheapest check first: load, type and size, JSON, schema. Throws `RequestRefused`. */
export async function acceptRequest<Schema extends z.ZodType<RunRequest>>(
  schema: Schema,
  { request, response }: { request: Request; response: Response },
  limits: RequestLimits,
): Promise<AcceptedRequest<z.output<Schema>>> {
  const deadline = limits.inFlight.accept(response);
  const state = stateOf(response);
  state.signal = deadline.signal;
  const parsed = parseRequest(schema, await readBody(request, limits.body, deadline.signal));
  const { session_id, llm_config, user_api_keys, max_iterations_left, include } = parsed.request;
  state.echo = {
    sessionId: session_id,
    iterationsLeft: max_iterations_left ?? null,
    history: include?.history === false ? null : parsed.history,
  };
  deadline.limit(Math.min(llm_config.deadlineMs ?? limits.deadlineMs, limits.deadlineMs));
  return {
    ...parsed,
    request: { ...parsed.request, user_api_keys: undefined },
    deadline,
    state,
    sentKey: request.get('X-LLM-API-Key') || user_api_keys?.llmKey,
  };
}

/** The model a request asks for. Throws where no provider fits. */
export function resolveModel(config: LlmConfig, models: ModelDirectory): ResolvedModel {
  const model = models.resolve(config);
  if (!model) throw new RequestRefused('unsupported_model');
  return model;
}

/** The model with the caller's key. Throws where the key is missing or malformed. */
export function connect(
  model: ResolvedModel,
  { sentKey, state }: Pick<AcceptedRequest<unknown>, 'sentKey' | 'state'>,
): StepDependencies['provider'] {
  const key = readModelKey(sentKey);
  if (model.keyRequired && !key) throw new RequestRefused('missing_api_key');
  state.key = key;
  return model.connect(key);
}
