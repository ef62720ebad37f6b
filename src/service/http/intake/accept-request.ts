import type { Request, Response } from 'express';
import type { z } from 'zod';
import { isObject } from '../../../contract/fields.js';
import type { LlmConfig, StepRequest } from '../../../contract/step-request.js';
import { keyProblem } from '../../../network/key-form.js';
import type { Caller } from '../../operations/access/token-entries.js';
import type { ModelDirectory, ResolvedModel } from '../../providers/create-model-directory.js';
import { redactWith, Secret, withoutSecrets } from '../../providers/secret.js';
import { outputLimit } from '../../step/budget/share-budget.js';
import type { StepDependencies } from '../../step/step-dependencies.js';
import { RequestRefused } from '../failure/to-failure.js';
import { keepKeyOut, type RequestState, stateOf } from '../middleware/request-state.js';
import type { ConvertedJson } from './convert-json.js';
import type { InFlight } from './in-flight.js';
import { meter } from './metered-provider.js';
import { type ParsedRequest, parseRequest } from './parse-request.js';
import { type BodyLimits, declaredBytes, readBody } from './read-request-body.js';
import type { Slot } from './slot.js';

/** The fields that every request within a run has. */
type RunRequest = Pick<
  StepRequest,
  'project_id' | 'session_id' | 'conversation_history' | 'llm_config' | 'user_api_keys'
> &
  Partial<Pick<StepRequest, 'max_iterations_left' | 'include'>>;

export interface RequestLimits {
  readonly inFlight: InFlight;
  readonly body: BodyLimits;
  /** Maximum time of a request. A caller may set a shorter one. */
  readonly deadlineMs: number;
}

interface Exchange {
  readonly request: Request;
  readonly response: Response;
  /** True if the response is a step. Only then can the caller ask for a response without extensions. */
  readonly answersStep?: boolean;
}

/** A validated request, with its slot and state. */
export interface AcceptedRequest<Body> extends ParsedRequest<Body> {
  readonly slot: Slot;
  readonly state: RequestState;
  /**
   * The model key as the caller sent it. It is not validated, because a request without a model call does not need
   * it.
   */
  readonly sentKey: string | undefined;
}

/**
 * Accepts and validates a request, cheapest checks first: load, type and size, JSON, schema, project. Throws
 * `RequestRefused`.
 */
export async function acceptRequest<Schema extends z.ZodType<RunRequest>>(
  schema: Schema,
  { request, response, answersStep = false }: Exchange,
  limits: RequestLimits,
): Promise<AcceptedRequest<z.output<Schema>>> {
  const { body, slot, state } = await receive({ request, response }, limits);
  const sentKey = request.get('X-LLM-API-Key') || keyIn(body);
  if (sentKey) keepKeyOut(response, sentKey);
  state.declinesExtensions = answersStep && declinesExtensions(body);
  const parsed = await parseRequest(schema, body, slot.signal);
  const { request: read, history, warnings } = parsed;
  const { project_id, session_id, llm_config, max_iterations_left, include } = read;
  state.echo = {
    sessionId: session_id,
    iterationsLeft: max_iterations_left ?? null,
    history: include?.history === false ? null : history,
  };
  if (state.caller) requireProject(state.caller, project_id);
  slot.announceReply(outputLimit(llm_config));
  slot.start(Math.min(llm_config.deadlineMs ?? limits.deadlineMs, limits.deadlineMs));
  read.user_api_keys = undefined;
  return { request: read, history, warnings, slot, state, sentKey };
}

/** A body that was read, with the slot and the state of its request. */
interface ReceivedBody extends ConvertedJson {
  readonly slot: Slot;
  readonly state: RequestState;
}

/** Gives a request its slot, starts its deadline, and reads its body. Throws `RequestRefused` or `Interruption`. */
export async function receive(
  { request, response }: Pick<Exchange, 'request' | 'response'>,
  limits: RequestLimits,
  { isLenient = false } = {},
): Promise<ReceivedBody> {
  const slot = limits.inFlight.accept(response, declaredBytes(request, limits.body));
  // The deadline also applies to rejected requests, which keep their slot until their response has been read.
  slot.start(limits.body.timeoutMs + limits.deadlineMs);
  const state = stateOf(response);
  state.slot = slot;
  return { ...(await readBody(request, { ...limits.body, isLenient }, slot)), slot, state };
}

/** Throws `RequestRefused` if the caller's token does not allow the project (rule: bearer-tokens). */
function requireProject({ projects }: Caller, projectId: string): void {
  if (projects === 'all' || projects.has(projectId.toLowerCase())) return;
  const message =
    'the token does not allow this project; ask the operator of this service for a token that does';
  throw new RequestRefused('forbidden', [{ path: 'project_id', code: 'project_not_allowed', message }]);
}

/** Returns the model key of a body that has not been validated yet. */
function keyIn(body: unknown): string | undefined {
  const keys = isObject(body) ? body['user_api_keys'] : undefined;
  const key = isObject(keys) ? keys['llmKey'] : undefined;
  return typeof key === 'string' ? key : undefined;
}

/** Returns whether a body that has not been validated yet has `include.extensions: false`. */
function declinesExtensions(body: unknown): boolean {
  const include = isObject(body) ? body['include'] : undefined;
  return isObject(include) && include['extensions'] === false;
}

/**
 * Returns the model that a request names. If there is no such model, throws `RequestRefused`, whose message lists the
 * configured providers.
 */
export function resolveModel(config: LlmConfig, models: ModelDirectory): ResolvedModel {
  const model = models.resolve(config);
  if (model) return model;
  const names = models.list().upstreams.map(({ name }) => name);
  const [prefix = ''] = config.modelName.split('/');
  const isPrefixed = !config.provider && prefix !== config.modelName && names.includes(prefix);
  const advice = isPrefixed
    ? `the name begins with the provider, as for /v1: set provider to "${prefix}" and modelName to the rest`
    : 'GET /api/agent/models lists known model names';
  const message = `no configured provider has this name; providers: ${names.join(', ')}; ${advice}`;
  throw new RequestRefused('unsupported_model', [
    { path: config.provider ? 'llm_config.provider' : 'llm_config.modelName', code: 'unknown_name', message },
  ]);
}

/** Returns those dependencies of a step for which no model key is needed, except its sources. */
export const promptDependencies = (
  model: ResolvedModel,
  { slot, state }: Pick<ReceivedBody, 'slot' | 'state'>,
) => ({
  profile: model.profile,
  tokens: model.tokenCounter(slot.signal),
  deadline: slot,
  during: state.trace.during,
});

/**
 * Connects the model with the caller's key. Throws `RequestRefused` if the key is missing or malformed, unless the
 * model needs no key (rule: key-form). A request without iterations left makes no call and so needs no key either
 * (rule: iterations).
 */
export function connect(
  model: ResolvedModel,
  { sentKey, request, state }: Pick<AcceptedRequest<RunRequest>, 'sentKey' | 'request' | 'state'>,
): Pick<StepDependencies, 'provider' | 'redact'> {
  state.upstream = model.providerName;
  // Redacts the sent key even if the upstream needs none, because the caller may have sent the same text as the
  // model's name.
  const secrets = [...(state.key ? [state.key] : []), ...model.secrets];
  const redact = redactWith(secrets);
  if (request.max_iterations_left === 0) return { provider: model.connect(undefined), redact };
  const key = model.keyRequired ? readModelKey(sentKey) : undefined;
  const provider = state.trace.connect(
    (observe) => model.connect(key, observe),
    (text) => withoutSecrets(text, secrets),
  );
  return { provider: meter(provider, state.modelCalls), redact };
}

/** Connects a model without a trace. The key is read only if the model needs one. Throws as `connect` does. */
export function connectModel(
  model: ResolvedModel,
  sentKey: string | undefined,
): Pick<StepDependencies, 'provider' | 'redact'> {
  const sent = sentKey === undefined ? undefined : Secret.parse(sentKey);
  const redact = redactWith([...(sent ? [sent] : []), ...model.secrets]);
  return { provider: model.connect(model.keyRequired ? readModelKey(sentKey) : undefined), redact };
}

function readModelKey(sent: string | undefined): Secret {
  if (!sent) throw new RequestRefused('missing_api_key');
  const key = keyProblem(sent) === undefined ? Secret.parse(sent) : undefined;
  if (!key) throw new RequestRefused('malformed_api_key');
  return key;
}
