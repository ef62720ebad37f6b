import type { z } from 'zod';
import { compactionRequestSchema, compactionSchema } from '../compaction.js';
import type { ErrorCode } from '../error-codes.js';
import { modelListSchema } from '../model-list.js';
import { previewSchema } from '../preview.js';
import { healthSchema, versionSchema } from '../service-status.js';
import { stepSchema } from '../step.js';
import { stepRequestSchema } from '../step-request.js';
import {
  actionAnswer,
  compactionAnswer,
  finalAnswer,
  metricsAnswer,
  modelsAnswer,
  previewAnswer,
  streamedAnswer,
} from './examples/answers.js';
import { firstStep, lastStep, maskHistory } from './examples/requests.js';

/** A request that a fresh service answers with 200, without a key, and its answer. */
export interface Example {
  readonly summary: string;
  readonly request?: unknown;
  readonly answer: unknown;
}

/** One endpoint of the contract. Its schemas carry the id of their component. */
export interface Operation {
  readonly operationId: string;
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly tag: 'agent' | 'service';
  readonly summary: string;
  readonly description: string;
  readonly request?: z.ZodType;
  /** By a name for each. */
  readonly examples: Readonly<Record<string, Example>>;
  /** The one body of its 2xx, `stream` for server-sent events, or a plain text. */
  readonly response: z.ZodType | 'stream' | 'text';
  /** What its answer can be sent on to, by a name for each. */
  readonly links?: Readonly<Record<string, object>>;
  /** True where the caller's model key is read. */
  readonly takesModelKey?: boolean;
  readonly errors: readonly ErrorCode[];
}

/** Of the API and the package alike (docs/reference/api.md, rule: one-version); a test compares them. */
export const CONTRACT_VERSION = '0.1.0';

/** What any operation may answer. */
const always = ['forbidden', 'method_not_allowed', 'internal_error'] as const;

/** What an operation may answer that is there for those who may call. */
const guarded = [...always, 'unauthenticated', 'rate_limited'] as const;

/** What an operation may answer before it has read its body. */
const readingBody = [
  ...guarded,
  'overloaded',
  'shutting_down',
  'unsupported_media_type',
  'request_too_large',
  'request_timeout',
  'invalid_json',
  'invalid_request',
] as const satisfies readonly ErrorCode[];

/** What an operation that calls a model may answer instead of a step. */
const callingModel = [
  'unsupported_model',
  'missing_api_key',
  'malformed_api_key',
  'token_budget_exceeded',
  'upstream_authentication_failed',
  'upstream_billing',
  'upstream_permission_denied',
  'upstream_model_not_found',
  'upstream_context_length_exceeded',
  'upstream_rejected_request',
  'upstream_rate_limited',
  'upstream_error',
  'upstream_invalid_response',
  'upstream_unreachable',
  'upstream_overloaded',
  'upstream_timeout',
] as const satisfies readonly ErrorCode[];

/** A link that sends parts of an answer on is no string, and openapi-generator refuses such a document. */
const samePrompt = {
  operationId: 'previewContext',
  description: 'What the model was shown for it, and the whole context report.',
  requestBody: '$request.body',
};

/** Every endpoint that is built, in the order of the document. A new endpoint is a new row. */
export const operations: readonly Operation[] = [
  {
    operationId: 'createReactStep',
    method: 'post',
    path: '/api/agent/react_step',
    tag: 'agent',
    summary: 'One step of a ReAct agent',
    description:
      'Builds the context inside the token budget, makes one model call, and says what the model wants to do ' +
      'next. Tools are never executed here, and nothing is kept. Outcomes of the model itself (a refusal, a ' +
      'cut-off action, an empty reply) are 200 with `status: error`.',
    request: stepRequestSchema,
    examples: {
      action: { summary: 'Begins a run: the model acts', request: firstStep, answer: actionAnswer },
      answer: { summary: 'Goes on with a result: the model answers', request: lastStep, answer: finalAnswer },
    },
    response: stepSchema,
    links: { samePrompt },
    takesModelKey: true,
    errors: [...readingBody, ...callingModel],
  },
  {
    operationId: 'streamReactStep',
    method: 'post',
    path: '/api/agent/react_step/stream',
    tag: 'agent',
    summary: 'The same step as server-sent events',
    description:
      'Events: `step.started`, `context.built`, `reasoning.delta`, `draft.delta`, `thought.delta`, ' +
      '`answer.delta`, `action.proposed`, and exactly one end: `step.completed` (its `step` is the answer of ' +
      '`createReactStep`) or `error` (its `error` is an ErrorResponse). A failure before the first event is an ' +
      'ordinary HTTP error.',
    request: stepRequestSchema,
    examples: {
      action: { summary: 'Begins a run: the model acts', request: firstStep, answer: streamedAnswer },
    },
    response: 'stream',
    takesModelKey: true,
    errors: [...readingBody, ...callingModel],
  },
  {
    operationId: 'previewContext',
    method: 'post',
    path: '/api/agent/context_preview',
    tag: 'agent',
    summary: 'What a step would send, without sending it',
    description:
      'Takes the request of a step and answers the very messages, their hash and the full context report. No ' +
      'model is called and no key is needed.',
    request: stepRequestSchema,
    examples: { first: { summary: 'The first step of a run', request: firstStep, answer: previewAnswer } },
    response: previewSchema,
    errors: [...readingBody, 'unsupported_model', 'token_budget_exceeded', 'upstream_timeout'],
  },
  {
    operationId: 'compactHistory',
    method: 'post',
    path: '/api/agent/compact_history',
    tag: 'agent',
    summary: 'A shorter history',
    description:
      '`mask` turns old observations into one-line stubs; it is deterministic and needs no key. `summarize` makes ' +
      'one model call that turns the oldest part into one `summary` turn. Calling it again changes nothing.',
    request: compactionRequestSchema,
    examples: {
      mask: { summary: 'Old observations give way', request: maskHistory, answer: compactionAnswer },
    },
    response: compactionSchema,
    takesModelKey: true,
    errors: [...readingBody, ...callingModel],
  },
  {
    operationId: 'listModels',
    method: 'get',
    path: '/api/agent/models',
    tag: 'agent',
    summary: 'The models and upstreams this service knows',
    description:
      'Names that `llm_config.modelName` and `llm_config.provider` may have here. A model that is not listed can be asked for ' +
      'all the same, with `provider`. The upstreams are those the operator has configured; nobody is called to find out.',
    examples: { models: { summary: 'A model and two upstreams', answer: modelsAnswer } },
    response: modelListSchema,
    errors: guarded,
  },
  {
    operationId: 'getHealth',
    method: 'get',
    path: '/healthz',
    tag: 'service',
    summary: 'Whether the process is alive',
    description:
      'For a liveness probe: 200 as long as the process answers at all, also while it is overloaded or shuts down. No token is asked for.',
    examples: { ok: { summary: 'All is well', answer: { status: 'ok' } } },
    response: healthSchema,
    errors: always,
  },
  {
    operationId: 'getReadiness',
    method: 'get',
    path: '/readyz',
    tag: 'service',
    summary: 'Whether new requests are welcome',
    description:
      'For a readiness probe and load balancers: 200, or 503 `shutting_down` from the moment the service is told to end. No token ' +
      'is asked for.',
    examples: { ok: { summary: 'All is well', answer: { status: 'ok' } } },
    response: healthSchema,
    errors: [...always, 'shutting_down'],
  },
  {
    operationId: 'getVersion',
    method: 'get',
    path: '/version',
    tag: 'service',
    summary: 'What is running',
    description:
      'The name and version of the running service; the contract has the same version. No token is asked for.',
    examples: { version: { summary: 'A release', answer: { name: 'stepwise', version: CONTRACT_VERSION } } },
    response: versionSchema,
    errors: always,
  },
  {
    operationId: 'getMetrics',
    method: 'get',
    path: '/metrics',
    tag: 'service',
    summary: 'What has happened so far, for Prometheus',
    description:
      'Counts and durations in the text format of Prometheus. A token is asked for where the service has tokens and the operator ' +
      'has not opened this path.',
    examples: { metrics: { summary: 'One gauge of many', answer: metricsAnswer } },
    response: 'text',
    errors: [...always, 'unauthenticated'],
  },
];
