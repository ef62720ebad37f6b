import type { z } from 'zod';
import { type CompactionRequestInput, compactionRequestSchema, compactionSchema } from '../compaction.js';
import type { ErrorCode } from '../error-codes.js';
import type { TurnInput } from '../history.js';
import { modelListSchema } from '../model-list.js';
import { previewSchema } from '../preview.js';
import { healthSchema, versionSchema } from '../service-status.js';
import { stepSchema } from '../step.js';
import { type StepRequestInput, stepRequestSchema } from '../step-request.js';

/** One endpoint of the contract. Its schemas carry the id of their component. */
export interface Operation {
  readonly operationId: string;
  readonly method: 'get' | 'post';
  readonly path: string;
  readonly tag: 'agent' | 'service';
  readonly summary: string;
  readonly description?: string;
  readonly request?: z.ZodType;
  /** A request that a fresh service answers with 200, without a key. */
  readonly example?: unknown;
  /** The one body of its 2xx, `stream` for server-sent events, or a text with an example. */
  readonly response: z.ZodType | 'stream' | { readonly text: string };
  /** True where the caller's model key is read. */
  readonly takesModelKey?: boolean;
  readonly errors: readonly ErrorCode[];
}

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

const ids = {
  project_id: '6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
  session_id: '7d444840-9dc0-41d1-b245-5ffdce74fad2',
};
const offline = { modelName: 'offline', tokenLimit: 8_000, reservedOutputTokens: 1_000 };
const task = 'Why does the cart total ignore discounts?';

const stepExample: StepRequestInput = {
  ...ids,
  user_query: task,
  conversation_history: [],
  tools: [
    {
      name: 'search_code',
      description: 'Finds lines that match a pattern.',
      inputSchema: { type: 'object', properties: { pattern: { type: 'string' } }, required: ['pattern'] },
      annotations: { readOnlyHint: true },
    },
  ],
  llm_config: offline,
  max_iterations_left: 10,
};

const searched = (pattern: string, index: number): TurnInput[] => [
  {
    role: 'assistant',
    content: `I look for ${pattern}.`,
    toolCall: { name: 'search_code', parameters: { pattern }, id: `call_${index}` },
  },
  {
    role: 'tool_observation',
    content: [12, 31, 58, 77, 90]
      .map((line) => `src/cart.ts:${line}: // what ${pattern} means here`)
      .join('\n'),
    toolCallId: `call_${index}`,
  },
];

const compactionExample: CompactionRequestInput = {
  ...ids,
  conversation_history: [
    { role: 'user', content: task },
    ...['total', 'discount', 'price', 'coupon', 'rate', 'sum'].flatMap((pattern, index) =>
      searched(pattern, index),
    ),
  ],
  target_tokens: 700,
  strategy: 'mask',
  llm_config: offline,
};

const metricsExample = `# HELP stepwise_requests_in_flight Requests accepted and not yet answered.
# TYPE stepwise_requests_in_flight gauge
stepwise_requests_in_flight 3
`;

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
    example: stepExample,
    response: stepSchema,
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
    example: stepExample,
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
    example: stepExample,
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
    example: compactionExample,
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
    response: modelListSchema,
    errors: guarded,
  },
  {
    operationId: 'getHealth',
    method: 'get',
    path: '/healthz',
    tag: 'service',
    summary: 'Whether the process is alive',
    response: healthSchema,
    errors: always,
  },
  {
    operationId: 'getReadiness',
    method: 'get',
    path: '/readyz',
    tag: 'service',
    summary: 'Whether new requests are welcome',
    response: healthSchema,
    errors: [...always, 'shutting_down'],
  },
  {
    operationId: 'getVersion',
    method: 'get',
    path: '/version',
    tag: 'service',
    summary: 'What is running',
    response: versionSchema,
    errors: always,
  },
  {
    operationId: 'getMetrics',
    method: 'get',
    path: '/metrics',
    tag: 'service',
    summary: 'What has happened so far, for Prometheus',
    response: { text: metricsExample },
    errors: [...always, 'unauthenticated'],
  },
];
