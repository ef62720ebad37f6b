import type { Attachment } from '../../contract/attachment.js';
import type { Compaction } from '../../contract/compaction.js';
import type {
  ContextReport,
  ReportFolder,
  ReportItem,
  ReportSection,
} from '../../contract/context-report.js';
import type { ToolCall, ToolResult, TurnInput } from '../../contract/history.js';
import type { ModelList } from '../../contract/model-list.js';
import type { Preview } from '../../contract/preview.js';
import type { RecordedCall, RecordedStep } from '../../contract/recorded-step.js';
import type {
  ActionDetails,
  ErrorDetail,
  ErrorResponse,
  Parse,
  PhaseControl,
  Signals,
  Step,
  StepError,
  Usage,
  Warning,
} from '../../contract/step.js';
import type { Task } from '../../contract/step-request.js';
import type { StreamEvent } from '../../contract/stream.js';
import type { ToolDefinition } from '../../contract/tool.js';
import { isObject } from '../../conversation/is-object.js';
import {
  type Check,
  isBoolean,
  isJsonObject,
  isJsonValue,
  isNumber,
  isText,
  isWholeNumber,
  listOf,
  oneOf,
  optional,
  shapeOf,
} from './shape.js';

/*
 * The contract's shapes as checks without Zod, for answers of the service and for saved runs
 * (docs/decisions/client-checks.md). `test/sdk/base/wire-shapes.test.ts` compares them with the contract's schemas.
 * Three differences let the client read older and newer services: a field that may be null may be absent; so may a field
 * that a run can do without, such as `warnings`, or `new_turns` of a failure; and an enumeration takes other strings, except for roles and statuses,
 * on which a run branches.
 */

const isToolCall = shapeOf<Pick<ToolCall, 'name' | 'parameters' | 'id'>>({
  name: isText,
  parameters: isJsonObject,
  id: optional(isText),
});

const isToolResult = shapeOf<Pick<ToolResult, 'success' | 'result' | 'error' | 'terminal' | 'denied'>>({
  success: isBoolean,
  result: isJsonValue,
  error: optional(isText),
  terminal: optional(isBoolean),
  denied: optional(isBoolean),
});

/** The fields of a turn that the contract names; a turn may have others. */
type NamedTurnFields = Pick<
  TurnInput,
  | 'role'
  | 'content'
  | 'timestamp'
  | 'kind'
  | 'toolCall'
  | 'thought'
  | 'phase'
  | 'provider_state'
  | 'toolCallId'
  | 'toolResult'
  | 'attachments'
  | 'tool_definitions'
>;

export const hasAttachmentShape = shapeOf<Pick<Attachment, 'media_type' | 'data'>>({
  media_type: isText,
  data: isText,
});

export const isTurn = shapeOf<NamedTurnFields>({
  role: oneOf('user', 'assistant', 'tool_observation'),
  content: isText,
  timestamp: optional(isText),
  kind: optional(isText),
  toolCall: optional(isToolCall),
  thought: optional(isText),
  phase: optional(isText),
  provider_state: isJsonValue,
  toolCallId: optional(isText),
  toolResult: optional(isToolResult),
  attachments: optional(listOf(hasAttachmentShape)),
  tool_definitions: optional(listOf(shapeOf<{ name: string }>({ name: isText }))),
});

const isAction = shapeOf<ActionDetails>({
  tool_name: isText,
  tool_args: isJsonObject,
  raw_action_string: optional(isText),
  id: isText,
  requires_approval: optional(isBoolean),
});

const isParse = shapeOf<Parse>({
  outcome: isText,
  dialect: optional(isText),
  confidence: isText,
  repairs: listOf(isText),
  discarded: listOf(shapeOf<Parse['discarded'][number]>({ kind: isText, chars: isWholeNumber })),
  problem: optional(isText),
});

const isControl = shapeOf<PhaseControl>({
  plan: optional(isText),
  tools_to_consider: optional(listOf(isText)),
  finish: optional(isBoolean),
  observation: optional(isText),
  should_continue: optional(isBoolean),
  final_answer: optional(isText),
});

const isReport = shapeOf<ContextReport>({
  token_limit: isWholeNumber,
  reserved_output_tokens: isWholeNumber,
  prompt_tokens: isWholeNumber,
  counting: isText,
  stable_prefix_tokens: isWholeNumber,
  stable_prompt_sha256: isText,
  sections: listOf(shapeOf<ReportSection>({ name: isText, tokens: isWholeNumber })),
  items: listOf(
    shapeOf<ReportItem>({
      kind: isText,
      id: isText,
      status: isText,
      tokens: isWholeNumber,
      original_tokens: optional(isWholeNumber),
      lines: optional(isText),
      reason: optional(isText),
    }),
  ),
  folders: listOf(shapeOf<ReportFolder>({ path: isText, files: isWholeNumber, included: isWholeNumber })),
});

const isSignals = shapeOf<Signals>({
  repeated_action: isWholeNumber,
  repeated_cycle: isWholeNumber,
  consecutive_read_only: isWholeNumber,
  consecutive_errors: isWholeNumber,
  last_iteration: isBoolean,
  should_compact: isBoolean,
});

const isUsage = shapeOf<Usage>({
  input_tokens: optional(isWholeNumber),
  output_tokens: optional(isWholeNumber),
  cached_input_tokens: optional(isWholeNumber),
  cache_write_tokens: optional(isWholeNumber),
  reasoning_tokens: optional(isWholeNumber),
  cost: optional(isNumber),
});

const isWarning = shapeOf<Warning>({ code: isText, message: isText });

const isErrorDetail = shapeOf<ErrorDetail>({
  path: optional(isText),
  code: optional(isText),
  message: isText,
  source: optional(isText),
});

export const isError = shapeOf<StepError>({
  code: isText,
  message: isText,
  retryable: isBoolean,
  provider: optional(isText),
  upstream_status: optional(isWholeNumber),
  retry_after_ms: optional(isWholeNumber),
  details: optional(listOf(isErrorDetail)),
  partial_text: optional(isText),
});

const stepFields = {
  session_id: optional(isText),
  status: oneOf('action_proposed', 'direct_response_provided', 'phase_completed', 'error'),
  iterations_remaining: isWholeNumber,
  thought: optional(isText),
  direct_response: optional(isText),
  answer: isJsonValue,
  action_details: optional(isAction),
  additional_actions: listOf(isAction),
  updated_conversation_history: optional(listOf(isTurn)),
  new_turns: listOf(isTurn),
  correction: optional(isTurn),
  control: optional(isControl),
  phase: optional(isText),
  parse: optional(isParse),
  context_report: optional(isReport),
  signals: optional(isSignals),
  usage: optional(isUsage),
  model: optional(isText),
  provider: optional(isText),
  finish_reason: optional(isText),
  finish_reason_raw: optional(isText),
  reasoning: optional(isText),
  completion_text: optional(isText),
  recorded_step: optional(isJsonObject),
  warnings: optional(listOf(isWarning)),
  error: optional(isError),
  request_id: optional(isText),
};

const hasStepFields = shapeOf<Step>(stepFields);

/** Accepts the response to one step. If its status announces an action or an error, the response must contain it. */
export function isStep(value: unknown): value is Step {
  if (!isObject(value) || !hasStepFields(value)) return false;
  if (value['status'] === 'action_proposed') return isObject(value['action_details']);
  return value['status'] !== 'error' || isObject(value['error']);
}

const hasErrorFields = shapeOf<ErrorResponse>({
  ...stepFields,
  status: oneOf('error'),
  session_id: optional(isText),
  iterations_remaining: optional(isWholeNumber),
  additional_actions: optional(listOf(isAction)),
  new_turns: optional(listOf(isTurn)),
  error: isError,
});

export const isErrorResponse = (value: unknown): value is ErrorResponse => hasErrorFields(value);

export const isTool = shapeOf<ToolDefinition>({
  name: isText,
  description: optional(isText),
  inputSchema: isJsonObject,
  annotations: optional(
    shapeOf<NonNullable<ToolDefinition['annotations']>>({
      readOnlyHint: optional(isBoolean),
      requiresApproval: optional(isBoolean),
    }),
  ),
  defer: optional(isBoolean),
});

export const isTask = shapeOf<Task>({
  id: isWholeNumber,
  content: isText,
  status: oneOf('todo', 'in_progress', 'completed'),
});

const promptFields = {
  system: isText,
  messages: listOf(shapeOf<Preview['messages'][number]>({ role: isText, content: isText })),
  native_tools: optional(listOf(isTool)),
  prompt_sha256: optional(isText),
};

const hasPreviewFields = shapeOf<Preview>({
  ...promptFields,
  context_report: optional(isReport),
  warnings: optional(listOf(isWarning)),
  request_id: optional(isText),
});

export const isPreview = (value: unknown): value is Preview => hasPreviewFields(value);

const isRecordedRequest = shapeOf<
  Pick<
    RecordedStep['request'],
    | 'project_id'
    | 'session_id'
    | 'user_query'
    | 'conversation_history'
    | 'llm_config'
    | 'max_iterations_left'
    | 'tools'
    | 'tasks'
  >
>({
  project_id: isText,
  session_id: isText,
  user_query: isText,
  conversation_history: listOf(isTurn),
  llm_config: shapeOf<
    Pick<RecordedStep['request']['llm_config'], 'modelName' | 'tokenLimit' | 'reservedOutputTokens'>
  >({ modelName: isText, tokenLimit: isWholeNumber, reservedOutputTokens: isWholeNumber }),
  max_iterations_left: isWholeNumber,
  tools: optional(listOf(isTool)),
  tasks: optional(listOf(isTask)),
});

/** Accepts a recorded step. Fields of its request that the SDK does not read are not checked. */
export const isRecordedStep: Check = shapeOf<RecordedStep>({
  request: isRecordedRequest,
  prompt: shapeOf<RecordedStep['prompt']>(promptFields),
  completion_text: isText,
  completion_calls: optional(listOf(shapeOf<RecordedCall>({ id: isText, name: isText, arguments: isText }))),
  response: isStep,
  parser_version: isText,
  began_at: isText,
  duration_ms: isNumber,
});

const hasCompactionFields = shapeOf<Compaction>({
  conversation_history: listOf(isTurn),
  changed: isBoolean,
  tokens_before: optional(isWholeNumber),
  tokens_after: optional(isWholeNumber),
  usage: optional(isUsage),
  warnings: optional(listOf(isWarning)),
  request_id: optional(isText),
});

export const isCompaction = (value: unknown): value is Compaction => hasCompactionFields(value);

const hasModelListFields = shapeOf<ModelList>({
  models: listOf(
    shapeOf<ModelList['models'][number]>({
      name: isText,
      provider: isText,
      context_window: optional(isWholeNumber),
      encoding: isText,
      counting: isText,
      protocols: listOf(isText),
    }),
  ),
  upstreams: listOf(shapeOf<ModelList['upstreams'][number]>({ name: isText, key_required: isBoolean })),
});

export const isModelList = (value: unknown): value is ModelList => hasModelListFields(value);

const isDelta = shapeOf<{ delta: string }>({ delta: isText });

/** The fields of each event in addition to `type`. */
const eventShapes: { readonly [Type in StreamEvent['type']]: Check } = {
  'step.started': shapeOf<{ request_id: string }>({ request_id: optional(isText) }),
  'context.built': shapeOf<{ report: unknown }>({ report: optional(isReport) }),
  'reasoning.delta': isDelta,
  'draft.delta': isDelta,
  'thought.delta': isDelta,
  'answer.delta': isDelta,
  'action.proposed': shapeOf<{ action: ActionDetails }>({ action: isAction }),
  'step.completed': shapeOf<{ step: Step }>({ step: isStep }),
  error: shapeOf<{ error: ErrorResponse }>({ error: isErrorResponse }),
};

const checksByType = new Map<string, Check>(Object.entries(eventShapes));

/** Accepts any event of an unknown type: a newer service may add types, and the client skips them. */
export function isStreamEvent(value: unknown): value is StreamEvent {
  if (!isObject(value) || typeof value['type'] !== 'string') return false;
  return checksByType.get(value['type'])?.(value) ?? true;
}
