import type { z } from 'zod';
import { compactionRequestSchema, compactionSchema } from '../compaction.js';
import type { ErrorCode } from '../error-codes.js';
import { modelListSchema } from '../model-list.js';
import { previewSchema } from '../preview.js';
import { healthSchema, readinessSchema, versionSchema } from '../service-status.js';
import { sourceStepSchema } from '../source-step.js';
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
  watchAnswer,
} from './examples/answers.js';
import { firstStep, lastStep, maskHistory } from './examples/requests.js';

/** A request that needs no key, and the 200 response of a newly started service to it. */
export interface Example {
  readonly summary: string;
  readonly request?: unknown;
  readonly answer: unknown;
}

/** An endpoint of the contract. The id of each of its schemas is its name under `components` in openapi.yaml. */
export interface Operation {
  readonly operationId: string;
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly tag: 'agent' | 'service';
  readonly summary: string;
  readonly description: string;
  readonly request?: z.ZodType;
  /** Examples by name. */
  readonly examples: Readonly<Record<string, Example>>;
  /**
   * The body of a successful response; `stream`: the events of one step, `watch`: the events of all steps, `text`:
   * plain text.
   */
  readonly response: z.ZodType | 'stream' | 'watch' | 'text';
  /**
   * The body with `include.extensions: false`. The document lists it apart from `response`, because generators
   * read only one body.
   */
  readonly reducedResponse?: z.ZodType;
  /** OpenAPI links, by name, to operations that accept parts of this request or response. */
  readonly links?: Readonly<Record<string, object>>;
  /** True if the operation reads the caller's model key. */
  readonly takesModelKey?: boolean;
  readonly errors: readonly ErrorCode[];
}

/** The version of the API. It equals the version of the package, which a test asserts (rule: one-version). */
export const CONTRACT_VERSION = '0.1.0';

/** Errors that every operation may return. */
const always = ['forbidden', 'method_not_allowed', 'internal_error'] as const;

/** Errors of operations that require a bearer token, if the service has tokens. */
const guarded = [...always, 'unauthenticated', 'rate_limited'] as const;

/** Errors of operations that read a request body. */
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

/** Errors of operations that call a model. */
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

/** A link that passes the whole request body on. openapi-generator rejects links that use parts of a response. */
const samePrompt = {
  operationId: 'previewContext',
  description: 'The prompt of this step, with the full context report.',
  requestBody: '$request.body',
};

/** All endpoints, in the order of the document. */
export const operations: readonly Operation[] = [
  {
    operationId: 'createReactStep',
    method: 'post',
    path: '/api/agent/react_step',
    tag: 'agent',
    summary: 'One step of a ReAct agent',
    description:
      'Builds the context within the token budget, makes one model call, and returns the action or the answer of ' +
      'the model. The service never executes tools and stores nothing. Failures of the model itself (a refusal, a ' +
      'truncated action, an empty reply) are 200 with `status: error`.',
    request: stepRequestSchema,
    examples: {
      action: {
        summary: 'The first step of a run: the model acts',
        request: firstStep,
        answer: actionAnswer,
      },
      answer: {
        summary: 'A step after a tool result: the model answers',
        request: lastStep,
        answer: finalAnswer,
      },
    },
    response: stepSchema,
    reducedResponse: sourceStepSchema,
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
      '`answer.delta`, `action.proposed`, and exactly one last event: `step.completed` (its `step` is the answer of ' +
      '`createReactStep`) or `error` (its `error` is an ErrorResponse). A failure before the first event is an ' +
      'ordinary HTTP error.',
    request: stepRequestSchema,
    examples: {
      action: {
        summary: 'The first step of a run: the model acts',
        request: firstStep,
        answer: streamedAnswer,
      },
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
    summary: 'The prompt of a step, without sending it',
    description:
      'Takes the request of a step and returns the messages that it would send, their hash and the full context ' +
      'report. Calls no model and needs no key.',
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
      '`mask` replaces old observations by one-line stubs; it is deterministic and needs no key. `summarize` makes ' +
      'one model call that replaces the oldest part by one `summary` turn. A second call changes nothing.',
    request: compactionRequestSchema,
    examples: {
      mask: { summary: 'Replaces old observations by stubs', request: maskHistory, answer: compactionAnswer },
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
    summary: 'The models and upstreams of this service',
    description:
      'Values for `llm_config.modelName` and `llm_config.provider`. With `provider`, other model names are possible too. ' +
      'The upstreams are those that the operator has configured; the service does not contact them for this list.',
    examples: { models: { summary: 'A model and two upstreams', answer: modelsAnswer } },
    response: modelListSchema,
    errors: guarded,
  },
  {
    operationId: 'watchSteps',
    method: 'get',
    path: '/api/agent/watch',
    tag: 'agent',
    summary: 'All steps of this process as server-sent events',
    description:
      'Only with `WATCH=on`, else 404. Events: `watch.started`, the last steps that are kept, then `step.began`, and ' +
      '`step.watched` (with the request, the prompt, the reply and the result, without keys) or `step.failed` of each ' +
      'step, whichever client asked for it. The stream has no last event. Needs a token with `watch: true` if the ' +
      'service has tokens.',
    examples: { started: { summary: 'The first event of a service without steps', answer: watchAnswer } },
    response: 'watch',
    errors: [...guarded, 'not_found', 'overloaded', 'shutting_down'],
  },
  {
    operationId: 'getHealth',
    method: 'get',
    path: '/healthz',
    tag: 'service',
    summary: 'Whether the process is alive',
    description:
      'For a liveness probe: 200 as long as the process answers, also while it is overloaded or shuts down. Needs no token.',
    examples: { ok: { summary: 'A healthy service', answer: { status: 'ok' } } },
    response: healthSchema,
    errors: always,
  },
  {
    operationId: 'getReadiness',
    method: 'get',
    path: '/readyz',
    tag: 'service',
    summary: 'Whether the service accepts new requests',
    description:
      'For a readiness probe and load balancers: 200, or 503 `shutting_down` as soon as the service begins to shut down. Needs ' +
      'no token.',
    examples: { ok: { summary: 'A ready service', answer: { status: 'ok', watch: 'off' } } },
    response: readinessSchema,
    errors: [...always, 'shutting_down'],
  },
  {
    operationId: 'getVersion',
    method: 'get',
    path: '/version',
    tag: 'service',
    summary: 'Name and version of the service',
    description:
      'The name and version of the running service. The contract has the same version. Needs no token.',
    examples: { version: { summary: 'A release', answer: { name: 'stepwise', version: CONTRACT_VERSION } } },
    response: versionSchema,
    errors: always,
  },
  {
    operationId: 'getMetrics',
    method: 'get',
    path: '/metrics',
    tag: 'service',
    summary: 'Metrics for Prometheus',
    description:
      'Counts and durations in the text format of Prometheus. Needs a token if the service has tokens, unless the operator ' +
      'has opened this path.',
    examples: { metrics: { summary: 'One gauge of many', answer: metricsAnswer } },
    response: 'text',
    errors: [...always, 'unauthenticated'],
  },
];
