/*
 * The types of the wire. Written by `npm run openapi` from the Zod schemas of this folder: change those.
 */

/** The tool call that the model proposes. The caller decides whether to run it, and runs it. */
export interface ActionDetails {
  /** Name of the tool. */
  tool_name: string;
  /** The arguments by name. */
  tool_args: Readonly<Record<string, unknown>>;
  /** `Action: ` and the call in the words of the model. */
  raw_action_string: string;
  /** Id of the call, unique in the history; the observation names it. */
  id: string;
  /** True if the tool is annotated with `requiresApproval`. */
  requires_approval: boolean;
}

/** The model proposes a tool call. */
export interface ActionProposedEvent {
  /** Kind of the event. */
  type: 'action.proposed';
  /** The tool call that the model proposes. The caller decides whether to run it, and runs it. */
  action: ActionDetails;
}

/** Text of the answer. */
export interface AnswerDeltaEvent {
  /** Kind of the event. */
  type: 'answer.delta';
  /** The text to append. */
  delta: string;
}

/** An image or a PDF that the model sees with its turn. */
export interface Attachment {
  /** Media type of the file. */
  media_type: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif' | 'application/pdf';
  /** The file in base64. */
  data: string;
  /** Further fields, which are kept. */
  [field: string]: unknown;
}

/** A shorter history, which the next step can send. */
export interface Compaction {
  /** The shorter history. */
  conversation_history: Turn[];
  /** False if nothing could be shortened. */
  changed: boolean;
  /** Size of the given history in a prompt, in tokens. */
  tokens_before: number;
  /** Size of the returned history in a prompt, in tokens. */
  tokens_after: number;
  /** The provider's own counts; null if it reports none. */
  usage: Usage | null;
  /** Problems that did not stop the compaction. */
  warnings: Warning[];
  /** Id of the request in the logs of the service. */
  request_id: string;
}

/** A request for a shorter history. */
export interface CompactionRequest {
  /** UUID of the project, for the files of the service and for logs. */
  project_id: string;
  /** UUID of the session, for logs. */
  session_id: string;
  /** The turns to shorten, oldest first. */
  conversation_history: Turn[];
  /** Maximum size of the history in a prompt, in tokens. */
  target_tokens: number;
  /** `mask` is deterministic and needs no key; `summarize` makes one model call. */
  strategy: 'mask' | 'summarize';
  /** The model and its token budget. */
  llm_config: LlmConfig;
  /** Keys that are used for this request only, and are neither stored nor logged. */
  user_api_keys?: UserApiKeys | undefined;
}

/** A request for a shorter history. As callers write it: optional fields may be null or absent. */
export interface CompactionRequestInput {
  /** UUID of the project, for the files of the service and for logs. */
  project_id: string;
  /** UUID of the session, for logs. */
  session_id: string;
  /** The turns to shorten, oldest first. */
  conversation_history: readonly TurnInput[];
  /** Maximum size of the history in a prompt, in tokens. */
  target_tokens: number;
  /** `mask` is deterministic and needs no key; `summarize` makes one model call. */
  strategy: 'mask' | 'summarize';
  /** The model and its token budget. */
  llm_config: LlmConfigInput;
  /** Keys that are used for this request only, and are neither stored nor logged. */
  user_api_keys?: UserApiKeysInput | null | undefined;
}

/** The prompt is complete; the model is called next. */
export interface ContextBuiltEvent {
  /** Kind of the event. */
  type: 'context.built';
  /** Null if the request asked for none. */
  report: ContextReport | null;
}

/** The parts of the context that the prompt includes, and those that it leaves out. */
export interface ContextReport {
  /** `llm_config.tokenLimit` of the request. */
  token_limit: number;
  /** `llm_config.reservedOutputTokens` of the request. */
  reserved_output_tokens: number;
  /** Tokens of the whole prompt. */
  prompt_tokens: number;
  /** `exact` if the tokenizer of the model counted, `estimated` if a substitute did. */
  counting: 'exact' | 'estimated';
  /** Tokens of the prompt before the tail, the part that changes with every step. */
  stable_prefix_tokens: number;
  /** SHA-256 of the prompt before the tail. */
  stable_prompt_sha256: string;
  /** The sections of the prompt, in order. */
  sections: ReportSection[];
  /** The items that the prompt includes, shortens or leaves out. A report with `include.report` set to `summary` omits the items that are included completely. */
  items: ReportItem[];
  /** The tagged folders. */
  folders: ReportFolder[];
}

/** Text of the reply that the parser ignored. */
export interface Discarded {
  /** Kind of the ignored text. */
  kind: string;
  /** Length of the ignored text in characters. */
  chars: number;
}

/** Text that may become thought or answer. */
export interface DraftDeltaEvent {
  /** Kind of the event. */
  type: 'draft.delta';
  /** The text to append. */
  delta: string;
}

/** The values of `error.code`. */
export type ErrorCode = 'invalid_json' | 'invalid_request' | 'unsupported_model' | 'unauthenticated' | 'forbidden' | 'missing_api_key' | 'malformed_api_key' | 'not_found' | 'method_not_allowed' | 'request_timeout' | 'request_too_large' | 'unsupported_media_type' | 'token_budget_exceeded' | 'upstream_context_length_exceeded' | 'upstream_rejected_request' | 'upstream_authentication_failed' | 'upstream_permission_denied' | 'upstream_model_not_found' | 'upstream_billing' | 'upstream_rate_limited' | 'upstream_error' | 'upstream_invalid_response' | 'upstream_unreachable' | 'upstream_overloaded' | 'overloaded' | 'shutting_down' | 'rate_limited' | 'upstream_timeout' | 'internal_error' | 'upstream_refusal' | 'output_truncated' | 'empty_response' | 'iterations_exhausted';

/** One problem and its place in the request. */
export interface ErrorDetail {
  /** Path of the field; empty for the whole body. */
  path?: string | undefined;
  /** Code of the problem. */
  code?: string | undefined;
  /** The problem in words. */
  message: string;
  /** `provider` if the message comes from the provider; absent otherwise. */
  source?: string | undefined;
}

/** The body of every failure. */
export interface ErrorResponse {
  /** The `session_id` of the request; null if it was not read. */
  session_id: string | null;
  /** Always `error`. */
  status: 'error';
  /** Iterations that are left; null if the request was not read. */
  iterations_remaining: number | null;
  /** The thought of the model; null if it wrote none. */
  thought: string | null;
  /** The answer, or the text of an action that could not be read; see `correction`. */
  direct_response: string | null;
  /** With `answer_schema`: the answer as JSON, checked against the schema. Null if it does not fit; `parse.problem` then says why. */
  answer?: unknown;
  /** The tool call that the model proposes. The caller decides whether to run it, and runs it. */
  action_details: ActionDetails | null;
  /** Further tool calls of the same reply, after `action_details`. */
  additional_actions: ActionDetails[];
  /** The history for the next step; null if it was not requested or the request was not read. */
  updated_conversation_history: Turn[] | null;
  /** The turns that this step added. */
  new_turns: Turn[];
  /** A turn that asks the model to correct its reply: append it before the next step. Present if an intended action could not be read (but not at the last iteration) or if the answer does not fit `answer_schema`. The caller should stop after two corrections in a row. */
  correction: Turn | null;
  /** The control block at the end of a reply in a phase. Fields that belong to other phases are null. */
  control: PhaseControl | null;
  /** The phase of the request, in the strict three-phase mode. */
  phase: 'reason' | 'act' | 'observe' | null;
  /** How the parser read the reply. */
  parse: Parse | null;
  /** The parts of the context that the prompt includes, and those that it leaves out. */
  context_report: ContextReport | null;
  /** Counts and flags about the run, such as repeated calls, computed only from the request and the reply. */
  signals: Signals | null;
  /** The provider's own counts; null if it reports none. */
  usage: Usage | null;
  /** Name of the model that replied. */
  model: string | null;
  /** Name of the provider that was called. */
  provider: string | null;
  /** Why the model stopped, with the same values for all providers. */
  finish_reason: 'stop' | 'length' | 'tool' | 'refusal' | 'other' | null;
  /** Why the model stopped, in the words of the provider. */
  finish_reason_raw: string | null;
  /** The model's reasoning, if the provider returns it; never the thought. */
  reasoning: string | null;
  /** The model's original text; only with `include.completion_text`. */
  completion_text: string | null;
  /** The complete input and output of the step, without keys, to save and evaluate; only with `include.record`, and only if a model replied. */
  recorded_step: Readonly<Record<string, unknown>> | null;
  /** Deviations from the request, and other problems. `unreadable_action`: `direct_response` is an action that could not be read. */
  warnings: Warning[];
  /** The reason why a step failed. */
  error: StepError;
  /** Id of the request in the logs of the service. */
  request_id: string;
}

/** Why a model stopped, with the same values for all providers. */
export type FinishReason = 'stop' | 'length' | 'tool' | 'refusal' | 'other';

/** A tool that `find_tools` found. Only its name counts. */
export interface FoundTool {
  /** Name of the tool. */
  name: string;
  /** Further fields, which are kept. */
  [field: string]: unknown;
}

/** The state of a healthy service. */
export interface Health {
  /** Always `ok`. */
  status: string;
}

/** The file and the lines that the user's editor shows. */
export interface ImplicitContext {
  /** Path of the file in the focused editor. */
  last_focused_file_path?: string | undefined;
  /** A range of lines, counted from 1, both ends included. */
  selection?: LineSelection | undefined;
}

/** The file and the lines that the user's editor shows. As callers write it: optional fields may be null or absent. */
export interface ImplicitContextInput {
  /** Path of the file in the focused editor. */
  last_focused_file_path?: string | null | undefined;
  /** A range of lines, counted from 1, both ends included. */
  selection?: LineSelection | null | undefined;
}

/** Options that control the size of the response. */
export interface IncludeOptions {
  /** Whether to return `updated_conversation_history`; default true. */
  history?: boolean | undefined;
  /** Size of the context report in the response; default `summary`. */
  report?: ReportDetail | undefined;
  /** Whether to return the model's original text; default false. */
  completion_text?: boolean | undefined;
  /** Whether to return `recorded_step`; default false. */
  record?: boolean | undefined;
  /** Whether the response has all fields of a `Step`; default true. With false it is a `SourceStep`; `phase` and `protocol: native` are then 400 with the detail `extensions_required`. */
  extensions?: boolean | undefined;
}

/** Options that control the size of the response. As callers write it: optional fields may be null or absent. */
export interface IncludeOptionsInput {
  /** Whether to return `updated_conversation_history`; default true. */
  history?: boolean | null | undefined;
  /** Size of the context report in the response; default `summary`. */
  report?: ReportDetail | null | undefined;
  /** Whether to return the model's original text; default false. */
  completion_text?: boolean | null | undefined;
  /** Whether to return `recorded_step`; default false. */
  record?: boolean | null | undefined;
  /** Whether the response has all fields of a `Step`; default true. With false it is a `SourceStep`; `phase` and `protocol: native` are then 400 with the detail `extensions_required`. */
  extensions?: boolean | null | undefined;
}

/** Contents that are part of the request; they win over any other source. */
export interface InlineContext {
  /** Whole files. */
  files?: InlineFile[] | undefined;
  /** Notes and snippets. */
  pinned_items?: InlinePinnedItem[] | undefined;
}

/** Contents that are part of the request; they win over any other source. As callers write it: optional fields may be null or absent. */
export interface InlineContextInput {
  /** Whole files. */
  files?: readonly InlineFile[] | null | undefined;
  /** Notes and snippets. */
  pinned_items?: readonly InlinePinnedItemInput[] | null | undefined;
}

/** A file that is part of the request. */
export interface InlineFile {
  /** Path of the file, with `/` as the separator. */
  path: string;
  /** The whole text of the file. */
  content: string;
}

/** A pinned item that is part of the request. */
export interface InlinePinnedItem {
  /** Id of the item, as in `pinned_item_ids_to_include`. */
  id: string;
  /** Title of the item in the prompt. */
  title?: string | undefined;
  /** The text of the item. */
  content: string;
}

/** A pinned item that is part of the request. As callers write it: optional fields may be null or absent. */
export interface InlinePinnedItemInput {
  /** Id of the item, as in `pinned_item_ids_to_include`. */
  id: string;
  /** Title of the item in the prompt. */
  title?: string | null | undefined;
  /** The text of the item. */
  content: string;
}

/** A model or a family of models in the table of the service, or a model that its operator configured. */
export interface KnownModel {
  /** A model name, or a pattern for a family of models. */
  name: string;
  /** Name of the provider that serves the model. */
  provider: string;
  /** Maximum tokens of prompt and reply together; null if unknown. */
  context_window: number | null;
  /** Name of the tokenizer that counts the prompts of the model. */
  encoding: string;
  /** `exact` if the tokenizer of the model counts its prompts, `estimated` if a substitute does. */
  counting: 'exact' | 'estimated';
  /** The values of `protocol` that the model supports. */
  protocols: string[];
}

/** A range of lines, counted from 1, both ends included. */
export interface LineSelection {
  /** Number of the first line. */
  start_line: number;
  /** Number of the last line. */
  end_line: number;
}

/** The model and its token budget. */
export interface LlmConfig {
  /** Name of the model, as its provider spells it. */
  modelName: string;
  /** Maximum tokens of prompt and reply together. */
  tokenLimit: number;
  /** Tokens that are reserved for the reply; must be less than `tokenLimit`, else 400. */
  reservedOutputTokens: number;
  /** Sampling temperature; default: that of the provider. */
  temperature?: number | undefined;
  /** `openai`, `anthropic` or a configured upstream. Without it, the model name decides. */
  provider?: string | undefined;
  /** How much the model may reason. Each provider supports some of these values. */
  reasoningEffort?: ReasoningEffort | undefined;
  /** Seed for providers that sample reproducibly. */
  seed?: number | undefined;
  /** Output limit for the provider; at most `reservedOutputTokens`, which is the default. */
  maxOutputTokens?: number | undefined;
  /** Time limit of the step in milliseconds; at most the server's own. */
  deadlineMs?: number | undefined;
  /** Maximum share of the free budget for context; default 0.5. */
  contextShare?: number | undefined;
}

/** The model and its token budget. As callers write it: optional fields may be null or absent. */
export interface LlmConfigInput {
  /** Name of the model, as its provider spells it. */
  modelName: string;
  /** Maximum tokens of prompt and reply together. */
  tokenLimit: number;
  /** Tokens that are reserved for the reply; must be less than `tokenLimit`, else 400. */
  reservedOutputTokens: number;
  /** Sampling temperature; default: that of the provider. */
  temperature?: number | null | undefined;
  /** `openai`, `anthropic` or a configured upstream. Without it, the model name decides. */
  provider?: string | null | undefined;
  /** How much the model may reason. Each provider supports some of these values. */
  reasoningEffort?: ReasoningEffort | null | undefined;
  /** Seed for providers that sample reproducibly. */
  seed?: number | null | undefined;
  /** Output limit for the provider; at most `reservedOutputTokens`, which is the default. */
  maxOutputTokens?: number | null | undefined;
  /** Time limit of the step in milliseconds; at most the server's own. */
  deadlineMs?: number | null | undefined;
  /** Maximum share of the free budget for context; default 0.5. */
  contextShare?: number | null | undefined;
}

/** The models and upstreams of this service. */
export interface ModelList {
  /** The known models. */
  models: KnownModel[];
  /** The configured endpoints of providers. */
  upstreams: Upstream[];
}

/** Whether the last iteration must be an answer. */
export type OnLastIteration = 'answer' | 'allow_action';

/** How the parser read the reply. */
export interface Parse {
  /** The result of reading the reply. */
  outcome: 'answer' | 'action' | 'malformed_action' | 'unknown_tool' | 'action_after_limit' | 'truncated' | 'refusal' | 'empty';
  /** The syntax in which the action was written; more values may be added. */
  dialect: 'call' | 'action_input' | 'json' | 'tag' | 'bracket' | 'bare' | 'native' | 'json_block' | 'json_list' | 'name_json' | 'function_tag' | 'invoke' | 'arg_pairs' | 'element' | 'python' | 'gemma' | 'xtml' | null;
  /** `constrained`: the provider enforced the schema of the offered tools. `repaired`: the parser fixed or assumed something; see `repairs`. */
  confidence: 'exact' | 'repaired' | 'constrained';
  /** Names of the repairs and assumptions of the parser, such as `coerced:id`. */
  repairs: string[];
  /** Parts of the reply that the parser ignored. */
  discarded: Discarded[];
  /** The problem of an action that could not be read, or of an answer that does not fit `answer_schema`, in words for the model. */
  problem: string | null;
}

/** A phase of the strict three-phase mode. */
export type Phase = 'reason' | 'act' | 'observe';

/** The control block at the end of a reply in a phase. Fields that belong to other phases are null. */
export interface PhaseControl {
  /** Phase `reason`: the plan. */
  plan: string | null;
  /** Phase `reason`: names of tools that may help. */
  tools_to_consider: string[] | null;
  /** Phase `reason`: true if no action is needed. */
  finish: boolean | null;
  /** Phase `observe`: what the action showed. */
  observation: string | null;
  /** Phase `observe`: whether a further round is needed. */
  should_continue: boolean | null;
  /** Phase `observe`: the answer, if no further round is needed. */
  final_answer: string | null;
}

/** Texts that replace the built-in instructions of the phases. Send all of them with every step. */
export interface PhaseInstructions {
  /** Instructions of the phase `reason`. */
  reason?: string | undefined;
  /** Instructions of the phase `act`. */
  act?: string | undefined;
  /** Instructions of the phase `observe`. */
  observe?: string | undefined;
}

/** Texts that replace the built-in instructions of the phases. Send all of them with every step. As callers write it: optional fields may be null or absent. */
export interface PhaseInstructionsInput {
  /** Instructions of the phase `reason`. */
  reason?: string | null | undefined;
  /** Instructions of the phase `act`. */
  act?: string | null | undefined;
  /** Instructions of the phase `observe`. */
  observe?: string | null | undefined;
}

/** The prompt that a step would send. */
export interface Preview {
  /** The system text of the prompt. */
  system: string;
  /** The messages of the prompt, in order. */
  messages: PreviewMessage[];
  /** The tools in the provider's own format; empty if the prompt itself describes the tools. */
  native_tools: ToolDefinition[];
  /** SHA-256 of the whole prompt. */
  prompt_sha256: string;
  /** The parts of the context that the prompt includes, and those that it leaves out. */
  context_report: ContextReport;
  /** Problems that do not stop the step. */
  warnings: Warning[];
  /** Id of the request in the logs of the service. */
  request_id: string;
}

/** A message of the prompt. */
export interface PreviewMessage {
  /** Author of the message. */
  role: 'user' | 'assistant';
  /** Text of the message. */
  content: string;
}

/** The form in which the model is taught to write actions. */
export type Protocol = 'text' | 'xml' | 'json' | 'native' | 'auto';

/** The state of a service that accepts requests. */
export interface Readiness {
  /** Always `ok`. */
  status: string;
  /** `on` if the service keeps its last steps in memory and streams them to watchers, else `off`. */
  watch: string;
}

/** Text of the model's own reasoning. */
export interface ReasoningDeltaEvent {
  /** Kind of the event. */
  type: 'reasoning.delta';
  /** The text to append. */
  delta: string;
}

/** How much the model may reason. Each provider supports some of these values. */
export type ReasoningEffort = 'none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max';

/** Size of the context report: `full`, `summary` (without items that are included completely), or `none`. */
export type ReportDetail = 'full' | 'summary' | 'none';

/** Numbers of files in a tagged folder. */
export interface ReportFolder {
  /** Path of the folder. */
  path: string;
  /** Number of files in the folder. */
  files: number;
  /** Number of files that the prompt includes at least in part. */
  included: number;
}

/** A file, pinned item, chunk, turn, attachment or deferred tool, and how much of it the prompt includes. */
export interface ReportItem {
  /** Source of the item. */
  kind: 'explicit' | 'pinned' | 'vector' | 'implicit' | 'turn' | 'attachment' | 'tool';
  /** Path, pinned id, index of the turn, for an attachment the indexes of its turn and in it, such as `4.0`, or the name of a tool: `find_tools` for all deferred tools together, or that of a found one. */
  id: string;
  /** How much of the item the prompt includes. */
  status: 'included' | 'truncated' | 'masked' | 'dropped' | 'duplicate' | 'unavailable' | 'deferred';
  /** Tokens of the included part. */
  tokens: number;
  /** Tokens of the whole item. */
  original_tokens: number | null;
  /** The included lines, such as `1-40,90-120`. */
  lines: string | null;
  /** Why the item is not included as a whole. */
  reason: string | null;
}

/** A section of the prompt and its size. */
export interface ReportSection {
  /** Name of the section. */
  name: 'instructions' | 'tools' | 'context' | 'history' | 'tail' | 'framing';
  /** Size of the section in tokens. */
  tokens: number;
}

/** Counts and flags about the run, such as repeated calls, computed only from the request and the reply. */
export interface Signals {
  /** Consecutive calls of the same tool with the same arguments, from 2; else 0. */
  repeated_action: number;
  /** Number of times in a row that the latest two or three calls were made in this order; 0 if once, or if they are all the same call. */
  repeated_cycle: number;
  /** Consecutive calls that only read. */
  consecutive_read_only: number;
  /** Consecutive calls that failed. */
  consecutive_errors: number;
  /** True if this was the last iteration. */
  last_iteration: boolean;
  /** True if the history uses at least 80 % of its share of the budget. */
  should_compact: boolean;
}

/** The tool call that the model proposes. */
export interface SourceActionDetails {
  /** Name of the tool. */
  tool_name: string;
  /** The arguments by name. */
  tool_args: Readonly<Record<string, unknown>>;
  /** `Action: ` and the call in the words of the model. */
  raw_action_string: string;
}

/** The answer to a step with `include.extensions: false`, and its failures once the body was read. It has no other fields; `error` is present if the status is `error`. */
export interface SourceStep {
  /** The `session_id` of the request. */
  session_id: string | null;
  /** The thought of the model; null if it wrote none. */
  thought: string | null;
  /** The tool call that the model proposes. */
  action_details: SourceActionDetails | null;
  /** The answer, or the text of an action that could not be read. */
  direct_response: string | null;
  /** The turns as sent, then those of this step, which have `role`, `content`, `timestamp` and `toolCall` with `name` and `parameters` only. */
  updated_conversation_history: Turn[] | null;
  /** Iterations that are left after this step. */
  iterations_remaining: number | null;
  /** The outcome: an action, an answer or an error. */
  status: 'action_proposed' | 'direct_response_provided' | 'error';
  /** The reason why a step failed. */
  error?: StepError | undefined;
}

/** The answer to one step. */
export interface Step {
  /** The `session_id` of the request. */
  session_id: string;
  /** An action that cannot be read is also `direct_response_provided`, with a warning `unreadable_action` and, unless the step required an answer, a `correction`. */
  status: 'action_proposed' | 'direct_response_provided' | 'phase_completed' | 'error';
  /** Iterations that are left after this step. */
  iterations_remaining: number;
  /** The thought of the model; null if it wrote none. */
  thought: string | null;
  /** The answer, or the text of an action that could not be read; see `correction`. */
  direct_response: string | null;
  /** With `answer_schema`: the answer as JSON, checked against the schema. Null if it does not fit; `parse.problem` then says why. */
  answer?: unknown;
  /** The tool call that the model proposes. The caller decides whether to run it, and runs it. */
  action_details: ActionDetails | null;
  /** Further tool calls of the same reply, after `action_details`. */
  additional_actions: ActionDetails[];
  /** The history for the next step; null if it was not requested or the request was not read. */
  updated_conversation_history: Turn[] | null;
  /** The turns that this step added. */
  new_turns: Turn[];
  /** A turn that asks the model to correct its reply: append it before the next step. Present if an intended action could not be read (but not at the last iteration) or if the answer does not fit `answer_schema`. The caller should stop after two corrections in a row. */
  correction: Turn | null;
  /** The control block at the end of a reply in a phase. Fields that belong to other phases are null. */
  control: PhaseControl | null;
  /** The phase of the request, in the strict three-phase mode. */
  phase: 'reason' | 'act' | 'observe' | null;
  /** How the parser read the reply. */
  parse: Parse | null;
  /** The parts of the context that the prompt includes, and those that it leaves out. */
  context_report: ContextReport | null;
  /** Counts and flags about the run, such as repeated calls, computed only from the request and the reply. */
  signals: Signals | null;
  /** The provider's own counts; null if it reports none. */
  usage: Usage | null;
  /** Name of the model that replied. */
  model: string | null;
  /** Name of the provider that was called. */
  provider: string | null;
  /** Why the model stopped, with the same values for all providers. */
  finish_reason: 'stop' | 'length' | 'tool' | 'refusal' | 'other' | null;
  /** Why the model stopped, in the words of the provider. */
  finish_reason_raw: string | null;
  /** The model's reasoning, if the provider returns it; never the thought. */
  reasoning: string | null;
  /** The model's original text; only with `include.completion_text`. */
  completion_text: string | null;
  /** The complete input and output of the step, without keys, to save and evaluate; only with `include.record`, and only if a model replied. */
  recorded_step: Readonly<Record<string, unknown>> | null;
  /** Deviations from the request, and other problems. `unreadable_action`: `direct_response` is an action that could not be read. */
  warnings: Warning[];
  /** The reason why a step failed. */
  error: StepError | null;
  /** Id of the request in the logs of the service. */
  request_id: string;
}

/** The last event: the whole answer to the step. */
export interface StepCompletedEvent {
  /** Kind of the event. */
  type: 'step.completed';
  /** The answer to one step. */
  step: Step;
}

/** The reason why a step failed. */
export interface StepError {
  /** Code of the failure. */
  code: string;
  /** A fixed text for this code. */
  message: string;
  /** True if the same request may succeed later. */
  retryable: boolean;
  /** Name of the provider that failed. */
  provider: string | null;
  /** HTTP status of the answer of the provider. */
  upstream_status: number | null;
  /** Milliseconds to wait before the next attempt, if the provider or the service names a time. */
  retry_after_ms: number | null;
  /** Facts about the failure beyond its code. */
  details: ErrorDetail[];
  /** The incomplete reply, if the model made one that is billed. */
  partial_text: string | null;
}

/** The request of one step of a ReAct agent. */
export interface StepRequest {
  /** UUID of the project, for the files of the service and for logs. */
  project_id: string;
  /** UUID of the session, for logs. */
  session_id: string;
  /** The task; empty to continue after an observation. If the history has no task either, the answer is 400 with the detail `no_task`. */
  user_query: string;
  /** Images and PDF files that belong to `user_query`. */
  attachments?: Attachment[] | undefined;
  /** The turns so far, oldest first; empty at the beginning. */
  conversation_history: Turn[];
  /** Files or folders that the user tagged; `path:10-40` selects lines. */
  explicit_context_paths?: string[] | undefined;
  /** Ids of pinned items that the prompt should include. */
  pinned_item_ids_to_include?: string[] | undefined;
  /** The file and the lines that the user's editor shows. */
  implicit_context?: ImplicitContext | undefined;
  /** Chunks that the caller retrieved. */
  vector_search_results_to_include?: VectorSearchResult[] | undefined;
  /** Tools in free text. The service reads signatures such as `read_file(path, start_line)`. */
  available_tools_prompt_segment?: string | undefined;
  /** The model and its token budget. */
  llm_config: LlmConfig;
  /** Keys that are used for this request only, and are neither stored nor logged. */
  user_api_keys?: UserApiKeys | undefined;
  /** Iterations that are left, this one included. At 1 the model must answer. */
  max_iterations_left: number;
  /** The tools that the model may call. */
  tools?: ToolDefinition[] | undefined;
  /** Contents that are part of the request; they win over any other source. */
  inline_context?: InlineContext | undefined;
  /** The TODO list, which is part of the prompt. */
  tasks?: Task[] | undefined;
  /** The form in which the model is taught to write actions; default `text`. `native` without `tools` is 400 with the detail `tools_required`. */
  protocol?: Protocol | undefined;
  /** The phase, in the strict three-phase mode. */
  phase?: Phase | undefined;
  /** Texts that replace the built-in instructions of the phases. Send all of them with every step. */
  phase_instructions?: PhaseInstructions | undefined;
  /** Whether the last iteration must be an answer; default `answer`. */
  on_last_iteration?: OnLastIteration | undefined;
  /** Additional system text; counts towards the token budget. */
  instructions?: string | undefined;
  /** JSON Schema of the final answer, which is then one JSON value: see `answer` of the step. For a schema that cannot be used, the service returns 400 with the path of the faulty part. */
  answer_schema?: Readonly<Record<string, unknown>> | undefined;
  /** Options that control the size of the response. */
  include?: IncludeOptions | undefined;
}

/** The request of one step of a ReAct agent. As callers write it: optional fields may be null or absent. */
export interface StepRequestInput {
  /** UUID of the project, for the files of the service and for logs. */
  project_id: string;
  /** UUID of the session, for logs. */
  session_id: string;
  /** The task; empty to continue after an observation. If the history has no task either, the answer is 400 with the detail `no_task`. */
  user_query: string;
  /** Images and PDF files that belong to `user_query`. */
  attachments?: readonly Attachment[] | null | undefined;
  /** The turns so far, oldest first; empty at the beginning. */
  conversation_history: readonly TurnInput[];
  /** Files or folders that the user tagged; `path:10-40` selects lines. */
  explicit_context_paths?: readonly string[] | null | undefined;
  /** Ids of pinned items that the prompt should include. */
  pinned_item_ids_to_include?: readonly string[] | null | undefined;
  /** The file and the lines that the user's editor shows. */
  implicit_context?: ImplicitContextInput | null | undefined;
  /** Chunks that the caller retrieved. */
  vector_search_results_to_include?: readonly VectorSearchResultInput[] | null | undefined;
  /** Tools in free text. The service reads signatures such as `read_file(path, start_line)`. */
  available_tools_prompt_segment?: string | null | undefined;
  /** The model and its token budget. */
  llm_config: LlmConfigInput;
  /** Keys that are used for this request only, and are neither stored nor logged. */
  user_api_keys?: UserApiKeysInput | null | undefined;
  /** Iterations that are left, this one included. At 1 the model must answer. */
  max_iterations_left: number;
  /** The tools that the model may call. */
  tools?: readonly ToolDefinitionInput[] | null | undefined;
  /** Contents that are part of the request; they win over any other source. */
  inline_context?: InlineContextInput | null | undefined;
  /** The TODO list, which is part of the prompt. */
  tasks?: readonly Task[] | null | undefined;
  /** The form in which the model is taught to write actions; default `text`. `native` without `tools` is 400 with the detail `tools_required`. */
  protocol?: Protocol | null | undefined;
  /** The phase, in the strict three-phase mode. */
  phase?: Phase | null | undefined;
  /** Texts that replace the built-in instructions of the phases. Send all of them with every step. */
  phase_instructions?: PhaseInstructionsInput | null | undefined;
  /** Whether the last iteration must be an answer; default `answer`. */
  on_last_iteration?: OnLastIteration | null | undefined;
  /** Additional system text; counts towards the token budget. */
  instructions?: string | null | undefined;
  /** JSON Schema of the final answer, which is then one JSON value: see `answer` of the step. For a schema that cannot be used, the service returns 400 with the path of the faulty part. */
  answer_schema?: Readonly<Record<string, unknown>> | null | undefined;
  /** Options that control the size of the response. */
  include?: IncludeOptionsInput | null | undefined;
}

/** The step has begun. */
export interface StepStartedEvent {
  /** Kind of the event. */
  type: 'step.started';
  /** Id of the request in the logs of the service. */
  request_id: string;
}

/** The last event of a step that failed. */
export interface StreamErrorEvent {
  /** Kind of the event. */
  type: 'error';
  /** The body of every failure. */
  error: ErrorResponse;
}

/** An event of a streamed step, distinguished by `type`. */
export type StreamEvent =
  | StepStartedEvent
  | ContextBuiltEvent
  | ReasoningDeltaEvent
  | DraftDeltaEvent
  | ThoughtDeltaEvent
  | AnswerDeltaEvent
  | ActionProposedEvent
  | StepCompletedEvent
  | StreamErrorEvent;

/** An entry of the TODO list, which is part of the prompt. */
export interface Task {
  /** Number of the task, unique in the list. */
  id: number;
  /** The task in words. */
  content: string;
  /** Progress of the task. */
  status: 'todo' | 'in_progress' | 'completed';
}

/** Text of the thought. */
export interface ThoughtDeltaEvent {
  /** Kind of the event. */
  type: 'thought.delta';
  /** The text to append. */
  delta: string;
}

/** Statements of the caller about the effects of a tool. */
export interface ToolAnnotations {
  /** The tool changes nothing. */
  readOnlyHint?: boolean | undefined;
  /** A person must approve each call. */
  requiresApproval?: boolean | undefined;
}

/** Statements of the caller about the effects of a tool. As callers write it: optional fields may be null or absent. */
export interface ToolAnnotationsInput {
  /** The tool changes nothing. */
  readOnlyHint?: boolean | null | undefined;
  /** A person must approve each call. */
  requiresApproval?: boolean | null | undefined;
}

/** The tool call of an assistant turn. */
export interface ToolCall {
  /** Name of the tool. */
  name: string;
  /** The arguments by name. */
  parameters: Readonly<Record<string, unknown>>;
  /** Links observations to their calls. A missing id becomes `call_<n>`. */
  id?: string | undefined;
  /** Further fields, which are kept. */
  [field: string]: unknown;
}

/** The tool call of an assistant turn. As callers write it: optional fields may be null or absent. */
export interface ToolCallInput {
  /** Name of the tool. */
  name: string;
  /** The arguments by name. */
  parameters: Readonly<Record<string, unknown>>;
  /** Links observations to their calls. A missing id becomes `call_<n>`. */
  id?: string | null | undefined;
  /** Further fields, which are kept. */
  [field: string]: unknown;
}

/** A tool that the caller offers, in the form of MCP. */
export interface ToolDefinition {
  /** The name of the tool, without white space, quotes and brackets. */
  name: string;
  /** Tells the model what the tool does and when to use it. */
  description?: string | undefined;
  /** JSON Schema of the arguments. Positional arguments get the names in `required`, in that order, then the other names in the order of `properties`. */
  inputSchema: Readonly<Record<string, unknown>>;
  /** Statements of the caller about the effects of a tool. */
  annotations?: ToolAnnotations | undefined;
  /** True keeps the schema out of the prompt until the model has found the tool with `find_tools`, which the service then offers. A tool of your own named `find_tools` is then 400 with the detail `reserved_name`. */
  defer?: boolean | undefined;
}

/** A tool that the caller offers, in the form of MCP. As callers write it: optional fields may be null or absent. */
export interface ToolDefinitionInput {
  /** The name of the tool, without white space, quotes and brackets. */
  name: string;
  /** Tells the model what the tool does and when to use it. */
  description?: string | null | undefined;
  /** JSON Schema of the arguments. Positional arguments get the names in `required`, in that order, then the other names in the order of `properties`. */
  inputSchema: Readonly<Record<string, unknown>>;
  /** Statements of the caller about the effects of a tool. */
  annotations?: ToolAnnotationsInput | null | undefined;
  /** True keeps the schema out of the prompt until the model has found the tool with `find_tools`, which the service then offers. A tool of your own named `find_tools` is then 400 with the detail `reserved_name`. */
  defer?: boolean | null | undefined;
}

/** The outcome of the call that an observation belongs to. */
export interface ToolResult {
  /** False if the call failed, was denied, or did not run. */
  success: boolean;
  /** The result as data, for the caller; the model reads `content`. */
  result?: unknown;
  /** The failure in words, for the caller. */
  error?: string | undefined;
  /** True if no further action can help: the next step then requires an answer. */
  terminal?: boolean | undefined;
  /** A person refused the call. */
  denied?: boolean | undefined;
  /** Further fields, which are kept. */
  [field: string]: unknown;
}

/** The outcome of the call that an observation belongs to. As callers write it: optional fields may be null or absent. */
export interface ToolResultInput {
  /** False if the call failed, was denied, or did not run. */
  success: boolean;
  /** The result as data, for the caller; the model reads `content`. */
  result?: unknown;
  /** The failure in words, for the caller. */
  error?: string | null | undefined;
  /** True if no further action can help: the next step then requires an answer. */
  terminal?: boolean | null | undefined;
  /** A person refused the call. */
  denied?: boolean | null | undefined;
  /** Further fields, which are kept. */
  [field: string]: unknown;
}

/** An entry of the conversation history. */
export interface Turn {
  /** Author of the turn. */
  role: 'user' | 'assistant' | 'tool_observation';
  /** The text: a task, a thought, an answer or an observation. */
  content: string;
  /** ISO 8601. Kept unchanged and never part of the prompt. */
  timestamp?: string | undefined;
  /** Marks user turns that are not the task: a correction (`notice`), or a summary of older turns. */
  kind?: 'notice' | 'summary' | undefined;
  /** The action of an assistant turn; `content` is then the thought. */
  toolCall?: ToolCall | undefined;
  /** The thought before the answer, in an assistant turn that answers. */
  thought?: string | undefined;
  /** The phase that added the turn, in the strict three-phase mode. */
  phase?: 'reason' | 'act' | 'observe' | undefined;
  /** Opaque data of a provider, such as signed reasoning, which the service sends back to that provider. Send it back unchanged: some providers reject the next step without it. */
  provider_state?: unknown;
  /** The id of the call that an observation belongs to. */
  toolCallId?: string | undefined;
  /** The outcome of the call that an observation belongs to. */
  toolResult?: ToolResult | undefined;
  /** Images and PDF files of a user turn or an observation, cut before any text if the budget is short. */
  attachments?: Attachment[] | undefined;
  /** In an observation of `find_tools`: the deferred tools of this request that can be called from now on. Their schemas are those in `tools`; other names are ignored with the warning `tool_not_offered`. */
  tool_definitions?: FoundTool[] | undefined;
  /** Further fields, which are kept. */
  [field: string]: unknown;
}

/** An entry of the conversation history. As callers write it: optional fields may be null or absent. */
export interface TurnInput {
  /** Author of the turn. */
  role: 'user' | 'assistant' | 'tool_observation';
  /** The text: a task, a thought, an answer or an observation. */
  content: string;
  /** ISO 8601. Kept unchanged and never part of the prompt. */
  timestamp?: string | null | undefined;
  /** Marks user turns that are not the task: a correction (`notice`), or a summary of older turns. */
  kind?: 'notice' | 'summary' | null | undefined;
  /** The action of an assistant turn; `content` is then the thought. */
  toolCall?: ToolCallInput | null | undefined;
  /** The thought before the answer, in an assistant turn that answers. */
  thought?: string | null | undefined;
  /** The phase that added the turn, in the strict three-phase mode. */
  phase?: 'reason' | 'act' | 'observe' | null | undefined;
  /** Opaque data of a provider, such as signed reasoning, which the service sends back to that provider. Send it back unchanged: some providers reject the next step without it. */
  provider_state?: unknown;
  /** The id of the call that an observation belongs to. */
  toolCallId?: string | null | undefined;
  /** The outcome of the call that an observation belongs to. */
  toolResult?: ToolResultInput | null | undefined;
  /** Images and PDF files of a user turn or an observation, cut before any text if the budget is short. */
  attachments?: readonly Attachment[] | null | undefined;
  /** In an observation of `find_tools`: the deferred tools of this request that can be called from now on. Their schemas are those in `tools`; other names are ignored with the warning `tool_not_offered`. */
  tool_definitions?: readonly FoundTool[] | null | undefined;
  /** Further fields, which are kept. */
  [field: string]: unknown;
}

/** A configured provider endpoint. Its name is a valid `llm_config.provider`. */
export interface Upstream {
  /** Name of the endpoint. */
  name: string;
  /** True if requests need a key. */
  key_required: boolean;
}

/** The provider's own counts; null if it reports none. */
export interface Usage {
  /** Tokens of the prompt, cached ones included. */
  input_tokens: number | null;
  /** Tokens of the reply, reasoning included. */
  output_tokens: number | null;
  /** Tokens of the prompt that were read from the cache of the provider. */
  cached_input_tokens: number | null;
  /** Tokens of the prompt that were written to the cache of the provider. */
  cache_write_tokens: number | null;
  /** Tokens of the reply that the model spent on reasoning. */
  reasoning_tokens: number | null;
  /** The provider's own price of the call, in its currency (OpenRouter: US dollars). */
  cost: number | null;
}

/** Keys that are used for this request only, and are neither stored nor logged. */
export interface UserApiKeys {
  /** The caller's API key for the model: 8 to 8192 printable ASCII characters without spaces, else 401 `malformed_api_key`. */
  llmKey?: string | undefined;
}

/** Keys that are used for this request only, and are neither stored nor logged. As callers write it: optional fields may be null or absent. */
export interface UserApiKeysInput {
  /** The caller's API key for the model: 8 to 8192 printable ASCII characters without spaces, else 401 `malformed_api_key`. */
  llmKey?: string | null | undefined;
}

/** A chunk that the client retrieved. */
export interface VectorSearchResult {
  /** Path of the file, with `/` as the separator. */
  path: string;
  /** The text of the chunk. */
  content: string;
  /** Score that the search gave the chunk. */
  score?: number | undefined;
  /** Number of the first line, from 1. */
  start_line?: number | undefined;
  /** Number of the last line, included. */
  end_line?: number | undefined;
}

/** A chunk that the client retrieved. As callers write it: optional fields may be null or absent. */
export interface VectorSearchResultInput {
  /** Path of the file, with `/` as the separator. */
  path: string;
  /** The text of the chunk. */
  content: string;
  /** Score that the search gave the chunk. */
  score?: number | null | undefined;
  /** Number of the first line, from 1. */
  start_line?: number | null | undefined;
  /** Number of the last line, included. */
  end_line?: number | null | undefined;
}

/** Name and version of the running service. */
export interface Version {
  /** Name of the service. */
  name: string;
  /** Version of the service. */
  version: string;
}

/** A problem that did not stop the step. */
export interface Warning {
  /** Code of the problem. */
  code: string;
  /** The problem in words. */
  message: string;
}
