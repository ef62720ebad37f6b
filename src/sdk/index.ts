/** The SDK: the loop over the stateless step, for Node and browsers. Imports no other package. */

export type { Compaction } from '../contract/compaction.js';
export type { ContextReport } from '../contract/context-report.js';
export type { Turn, TurnInput } from '../contract/history.js';
export type { ModelList } from '../contract/model-list.js';
export type { Preview } from '../contract/preview.js';
export type { ActionDetails, ErrorResponse, Step, StepError, Usage } from '../contract/step.js';
export type { StepRequest, StepRequestInput, Task } from '../contract/step-request.js';
export type { ToolDefinition } from '../contract/tool.js';
export type { ApprovalDecision, ApprovalRequest, ApprovalRule, Approve } from './approval.js';
export type { ClientToolName, InputRequest } from './client-tools.js';
export type { Residue } from './conversation-residue.js';
export {
  type AnthropicMessage,
  type AnthropicTool,
  fromAnthropicMessages,
  fromAnthropicTool,
  toAnthropicMessages,
  toAnthropicTool,
} from './convert-anthropic.js';
export {
  fromOpenAiMessages,
  fromOpenAiTool,
  type OpenAiMessage,
  type OpenAiTool,
  toOpenAiMessages,
  toOpenAiTool,
} from './convert-openai.js';
export { defineTool, type Tool, type ToolArguments, type ToolContext } from './define-tool.js';
export { replayRun } from './replay-run.js';
export type { Run } from './run.js';
export type { RunEvent, RunEventType } from './run-events.js';
export type {
  CompactionPolicy,
  Guard,
  GuardVerdict,
  RunContext,
  RunOptions,
  StrategyName,
} from './run-options.js';
export type { ActionRecord, RunResult, StepRecord, StopReason } from './run-result.js';
export type { CompactionRequest, StepEvent, StepService } from './step-service.js';
export { type ClientOptions, StepwiseClient } from './stepwise-client.js';
export { StepwiseError } from './stepwise-error.js';
export { renderCall } from './summarize-run.js';
export { TerminalToolError, type TerminationReason, ToolError } from './tool-errors.js';
export { readTrajectory, resumeOptions, type Trajectory } from './trajectory.js';
