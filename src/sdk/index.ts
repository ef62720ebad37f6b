/** The SDK: the loop over the stateless step, for Node and browsers. Imports no other package. */

export type { Compaction, CompactionRequestInput } from '../contract/compaction.js';
export type { ContextReport } from '../contract/context-report.js';
export type { Turn, TurnInput } from '../contract/history.js';
export type { ModelList } from '../contract/model-list.js';
export type { Preview } from '../contract/preview.js';
export type { ActionDetails, ErrorResponse, Step, StepError, Usage } from '../contract/step.js';
export type { StepRequest, StepRequestInput, Task } from '../contract/step-request.js';
export type { ToolDefinition } from '../contract/tool.js';
export { renderCall } from '../conversation/call-text.js';
export type { ApprovalDecision, ApprovalRequest, ApprovalRule, Approve } from './actions/approval.js';
export type { ClientToolName, InputRequest } from './actions/client-tools.js';
export { defineTool, type Tool, type ToolArguments, type ToolContext } from './actions/define-tool.js';
export { TerminalToolError, type TerminationReason, ToolError } from './actions/tool-errors.js';
export type { CallOptions, StepEvent, StepService } from './client/step-service.js';
export { type ClientOptions, StepwiseClient } from './client/stepwise-client.js';
export { StepwiseError } from './client/stepwise-error.js';
export type { Residue } from './convert/conversation-residue.js';
export {
  type AnthropicMessage,
  type AnthropicTool,
  fromAnthropicMessages,
  fromAnthropicTool,
  toAnthropicMessages,
  toAnthropicTool,
} from './convert/convert-anthropic.js';
export {
  fromOpenAiMessages,
  fromOpenAiTool,
  type OpenAiMessage,
  type OpenAiTool,
  toOpenAiMessages,
  toOpenAiTool,
} from './convert/convert-openai.js';
export type { Run } from './run/run.js';
export type { RunEvent, RunEventType } from './run/run-events.js';
export type {
  CompactionPolicy,
  Guard,
  GuardVerdict,
  RunContext,
  RunOptions,
  StrategyName,
} from './run/run-options.js';
export type { ActionRecord, RunResult, StepRecord, StopReason } from './run/run-result.js';
export { replayRun } from './saved/replay-run.js';
export { readTrajectory, resumeOptions, type Trajectory } from './saved/trajectory.js';
