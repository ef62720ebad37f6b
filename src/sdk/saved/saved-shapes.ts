import type {
  ContextReport,
  ReportFolder,
  ReportItem,
  ReportSection,
} from '../../contract/context-report.js';
import type { ToolCall, ToolResult, TurnInput } from '../../contract/history.js';
import type {
  ActionDetails,
  ErrorDetail,
  Parse,
  PhaseControl,
  Signals,
  Step,
  StepError,
  Usage,
  Warning,
} from '../../contract/step.js';
import type { StepRequestInput, Task } from '../../contract/step-request.js';
import type { ToolDefinition } from '../../contract/tool.js';
import type { InlineContents, RetrievedChunk, RunContext, RunLlmConfig } from '../run/run-options.js';
import {
  isBoolean,
  isNumber,
  isObject,
  isShallow,
  isText,
  listOf,
  nullable,
  oneOf,
  optional,
  shapeOf,
} from './shape.js';

/*
 * The shapes of what a saved run holds, down to what a reader walks through. A field that a former version did not write
 * may be absent.
 */

const toolCall = shapeOf<Pick<ToolCall, 'name' | 'parameters' | 'id'>>({
  name: isText,
  parameters: isObject,
  id: optional(isText),
});

const toolResult = shapeOf<Pick<ToolResult, 'success' | 'result' | 'error' | 'terminal' | 'denied'>>({
  success: isBoolean,
  result: isShallow,
  error: optional(isText),
  terminal: optional(isBoolean),
  denied: optional(isBoolean),
});

type KnownTurn = Pick<
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
>;

export const isTurn = shapeOf<KnownTurn>({
  role: oneOf('user', 'assistant', 'tool_observation'),
  content: isText,
  timestamp: optional(isText),
  kind: optional(oneOf('notice', 'summary')),
  toolCall: optional(toolCall),
  thought: optional(isText),
  phase: optional(oneOf('reason', 'act', 'observe')),
  provider_state: isShallow,
  toolCallId: optional(isText),
  toolResult: optional(toolResult),
});

const isAction = shapeOf<ActionDetails>({
  tool_name: isText,
  tool_args: isObject,
  raw_action_string: isText,
  id: isText,
  requires_approval: isBoolean,
});

const isParse = shapeOf<Parse>({
  outcome: isText,
  dialect: nullable(isText),
  confidence: isText,
  repairs: listOf(isText),
  discarded: listOf(shapeOf<Parse['discarded'][number]>({ kind: isText, chars: isNumber })),
  problem: nullable(isText),
});

const isControl = shapeOf<PhaseControl>({
  plan: nullable(isText),
  tools_to_consider: nullable(listOf(isText)),
  finish: nullable(isBoolean),
  observation: nullable(isText),
  should_continue: nullable(isBoolean),
  final_answer: nullable(isText),
});

const isReport = shapeOf<ContextReport>({
  token_limit: isNumber,
  reserved_output_tokens: isNumber,
  prompt_tokens: isNumber,
  counting: isText,
  stable_prefix_tokens: isNumber,
  stable_prompt_sha256: isText,
  sections: listOf(shapeOf<ReportSection>({ name: isText, tokens: isNumber })),
  items: listOf(
    shapeOf<ReportItem>({
      kind: isText,
      id: isText,
      status: isText,
      tokens: isNumber,
      original_tokens: nullable(isNumber),
      lines: nullable(isText),
      reason: nullable(isText),
    }),
  ),
  folders: listOf(shapeOf<ReportFolder>({ path: isText, files: isNumber, included: isNumber })),
});

const isSignals = shapeOf<Signals>({
  repeated_action: isNumber,
  repeated_cycle: isNumber,
  consecutive_read_only: isNumber,
  consecutive_errors: isNumber,
  last_iteration: isBoolean,
  should_compact: isBoolean,
});

const isUsage = shapeOf<Usage>({
  input_tokens: optional(isNumber),
  output_tokens: optional(isNumber),
  cached_input_tokens: optional(isNumber),
  cache_write_tokens: optional(isNumber),
  reasoning_tokens: optional(isNumber),
});

export const isError = shapeOf<StepError>({
  code: isText,
  message: isText,
  retryable: isBoolean,
  provider: optional(isText),
  upstream_status: optional(isNumber),
  retry_after_ms: optional(isNumber),
  details: listOf(
    shapeOf<ErrorDetail>({
      path: optional(isText),
      code: optional(isText),
      message: isText,
      source: optional(isText),
    }),
  ),
  partial_text: optional(isText),
});

export const isResponse = shapeOf<Step>({
  session_id: isText,
  status: oneOf('action_proposed', 'direct_response_provided', 'phase_completed', 'error'),
  iterations_remaining: isNumber,
  thought: nullable(isText),
  direct_response: nullable(isText),
  action_details: nullable(isAction),
  additional_actions: listOf(isAction),
  updated_conversation_history: optional(listOf(isTurn)),
  new_turns: listOf(isTurn),
  correction: nullable(isTurn),
  control: nullable(isControl),
  phase: nullable(oneOf('reason', 'act', 'observe')),
  parse: nullable(isParse),
  context_report: optional(isReport),
  signals: nullable(isSignals),
  usage: nullable(isUsage),
  model: optional(isText),
  provider: optional(isText),
  finish_reason: optional(isText),
  finish_reason_raw: optional(isText),
  reasoning: optional(isText),
  completion_text: optional(isText),
  warnings: listOf(shapeOf<Warning>({ code: isText, message: isText })),
  error: nullable(isError),
  request_id: optional(isText),
});

export const isTool = shapeOf<ToolDefinition>({
  name: isText,
  description: optional(isText),
  inputSchema: isObject,
  annotations: optional(
    shapeOf<NonNullable<ToolDefinition['annotations']>>({
      readOnlyHint: optional(isBoolean),
      requiresApproval: optional(isBoolean),
    }),
  ),
});

export const isTask = shapeOf<Task>({
  id: isNumber,
  content: isText,
  status: oneOf('todo', 'in_progress', 'completed'),
});

export const isLlmConfig = shapeOf<RunLlmConfig>({
  modelName: isText,
  tokenLimit: optional(isNumber),
  reservedOutputTokens: optional(isNumber),
  temperature: optional(isNumber),
  provider: optional(isText),
  reasoningEffort: optional(isText),
  seed: optional(isNumber),
  maxOutputTokens: optional(isNumber),
  deadlineMs: optional(isNumber),
  contextShare: optional(isNumber),
});

type Inline<Name extends keyof InlineContents> = NonNullable<InlineContents[Name]>[number];

export const isContext = shapeOf<RunContext>({
  paths: optional(listOf(isText)),
  pinned: optional(listOf(isText)),
  focus: optional(
    shapeOf<NonNullable<StepRequestInput['implicit_context']>>({
      last_focused_file_path: optional(isText),
      selection: optional(isObject),
    }),
  ),
  vectorResults: optional(
    listOf(
      shapeOf<RetrievedChunk>({
        path: isText,
        content: isText,
        score: optional(isNumber),
        start_line: optional(isNumber),
        end_line: optional(isNumber),
      }),
    ),
  ),
  inline: optional(
    shapeOf<InlineContents>({
      files: optional(listOf(shapeOf<Inline<'files'>>({ path: isText, content: isText }))),
      pinned_items: optional(
        listOf(shapeOf<Inline<'pinned_items'>>({ id: isText, title: optional(isText), content: isText })),
      ),
    }),
  ),
});
