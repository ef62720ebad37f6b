/** The SDK: a client of the service and the agent loop over it, for Node and browsers. Imports no other package. */

export type { ClientTerms, RecordedCall, RecordedStep } from '../contract/recorded-step.js';
export type * from '../contract/wire-types.js';
export { renderCall } from '../conversation/call-text.js';
export type { ResidualTurn, Residue } from '../conversation/convert/conversation-residue.js';
export {
  type AnthropicBlock,
  type AnthropicMessage,
  type AnthropicTool,
  fromAnthropicMessages,
  fromAnthropicTool,
  toAnthropicMessages,
  toAnthropicTool,
} from '../conversation/convert/convert-anthropic.js';
export {
  fromOpenAiMessages,
  fromOpenAiTool,
  type OpenAiContent,
  type OpenAiMessage,
  type OpenAiTool,
  type OpenAiToolCall,
  toOpenAiMessages,
  toOpenAiTool,
} from '../conversation/convert/convert-openai.js';
export {
  type ApprovalDecision,
  type ApprovalRequest,
  type ApprovalRule,
  type Approve,
  describeRule,
} from './actions/approval.js';
export type { ClientToolName, InputRequest } from './actions/client-tools.js';
export {
  type ArgumentsOf,
  defineTool,
  type InputSchema,
  type ParameterSchema,
  type PreviewContext,
  type ShellCall,
  type Tool,
  type ToolArguments,
  type ToolContext,
  type ToolSchema,
  type ToolSpecification,
} from './actions/define-tool.js';
export type { PendingApproval, PendingDecision } from './actions/pending-approval.js';
export { TerminalToolError, type TerminationReason, ToolError } from './actions/tool-errors.js';
export { toAttachment } from './base/attachments.js';
export type { RunError } from './base/error-hints.js';
export type {
  DescribedSchema,
  JsonSchema,
  StandardIssue,
  StandardResult,
  StandardSchema,
} from './base/standard-schema.js';
export type { CallOptions, ForeseenStep, StepEvent, StepService } from './base/step-service.js';
export { type ConnectionErrorCode, type Failure, StepwiseError } from './base/stepwise-error.js';
export type { ToolEvent } from './base/tool-event.js';
export { hasUnseen, spellUnseen, splitUnseen, type TextPiece } from './base/unseen.js';
export { readRunEvents, toResponse } from './client/run-stream.js';
export { type ClientOptions, StepwiseClient } from './client/stepwise-client.js';
export type { AnswerSchema } from './run/answer-schema.js';
export type { ResumeOptions } from './run/resume-run.js';
export type { Run } from './run/run.js';
export type { RunEvent, RunEventType } from './run/run-events.js';
export { RunFailedError } from './run/run-failed-error.js';
export type {
  CompactionPolicy,
  Fallback,
  Guard,
  GuardVerdict,
  InlineContents,
  RetrievedChunk,
  RunContext,
  RunLlmConfig,
  RunOptions,
  StrategyName,
  TypedRunOptions,
} from './run/run-options.js';
export {
  type ActionRecord,
  explainEnd,
  type RunResult,
  type StepRecord,
  type StopReason,
} from './run/run-result.js';
export type { Continuation } from './run/run-state.js';
export type { SavedOptions, Trajectory } from './run/trajectory.js';
export { continueRun, type Fork, forkRun, joinRuns, type NewObservation } from './saved/fork-run.js';
export { readTrajectory, resumeOptions } from './saved/read-trajectory.js';
export { replayRun } from './saved/replay-run.js';
export { reduceRun } from './view/reduce-run.js';
export {
  type ActionView,
  type Activity,
  type ApprovalView,
  type CompactionView,
  emptyRun,
  MAX_OUTPUT_CHARS,
  type ModelCallView,
  type Moment,
  type QuestionView,
  type RequestSent,
  type RunView,
  type StepView,
} from './view/run-view.js';
