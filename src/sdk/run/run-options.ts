import type { TurnInput } from '../../contract/history.js';
import type { ActionDetails } from '../../contract/step.js';
import type { StepRequestInput, Task } from '../../contract/step-request.js';
import type { ApprovalRule, Approve } from '../actions/approval.js';
import type { ClientToolName, InputRequest } from '../actions/client-tools.js';
import type { Tool } from '../actions/define-tool.js';

/** What a run is given beside its task (rule: run-options). */
export interface RunOptions {
  /** The model and its budget; `tokenLimit` defaults to 32,000, `reservedOutputTokens` to 4,000. */
  readonly llmConfig: RunLlmConfig;
  readonly tools?: readonly Tool[];
  readonly context?: RunContext;
  readonly instructions?: string;
  readonly protocol?: NonNullable<StepRequestInput['protocol']>;
  readonly strategy?: StrategyName;
  /** Model calls in `react`, whole rounds in `reason-act-observe`; default 10. */
  readonly maxSteps?: number;
  /** Asked for each action that needs a person's consent. Without it, such actions are denied. */
  readonly approve?: Approve;
  /** What is allowed without asking. */
  readonly approvalRules?: readonly ApprovalRule[];
  /** Checks on each proposed action, asked in order before anybody is asked for approval. */
  readonly guards?: readonly Guard[];
  /** Answers the model's question. Without it, a question ends the run with `needs_input`. */
  readonly onInputRequest?: (request: InputRequest, signal: AbortSignal) => Promise<string>;
  /** Milliseconds to wait for an answer to a question; default five minutes. */
  readonly inputTimeoutMs?: number;
  /** What becomes of the run when that time is up: it ends with `needs_input` (default), or goes on. */
  readonly onInputTimeout?: 'end' | 'continue';
  /** Which of the client's own tools the model is offered; default: all that can work. */
  readonly clientTools?: readonly ClientToolName[];
  /** Stops the run: the model call, the tools, and everything that is waited for. */
  readonly signal?: AbortSignal;
  readonly compaction?: CompactionPolicy;
  /** To go on from: a former run's history. */
  readonly history?: readonly TurnInput[];
  readonly tasks?: readonly Task[];
  /** How often a step that failed for a passing reason is tried again; default 2. */
  readonly retries?: number;
  /** Milliseconds after which a tool is given up; default two minutes. */
  readonly toolTimeoutMs?: number;
  /** False asks for whole steps instead of streams: then there are no deltas. */
  readonly stream?: boolean;
  /** How much of the context report each step brings; default `summary`. */
  readonly report?: 'full' | 'summary' | 'none';
  readonly projectId?: string;
  readonly sessionId?: string;
}

export type StrategyName = 'react' | 'reason-act-observe';

export type RunLlmConfig = Partial<StepRequestInput['llm_config']> &
  Pick<StepRequestInput['llm_config'], 'modelName'>;

/** Background for the model. `inline` contents travel with the request, so that a remote service needs no files. */
export interface RunContext {
  /** Files and folders; `path:10-40` takes lines. */
  readonly paths?: readonly string[];
  readonly pinned?: readonly string[];
  readonly focus?: StepRequestInput['implicit_context'];
  readonly vectorResults?: readonly RetrievedChunk[];
  readonly inline?: InlineContents;
}

export interface RetrievedChunk {
  readonly path: string;
  readonly content: string;
  readonly score?: number;
  readonly start_line?: number;
  readonly end_line?: number;
}

export interface InlineContents {
  readonly files?: readonly { readonly path: string; readonly content: string }[];
  readonly pinned_items?: readonly {
    readonly id: string;
    readonly title?: string;
    readonly content: string;
  }[];
}

/** When the history is compacted, and how. Without a policy the service masks and drops by itself, per prompt. */
export interface CompactionPolicy {
  readonly strategy: 'mask' | 'summarize';
  /** What is left afterwards; default a quarter of the prompt's budget. */
  readonly targetTokens?: number;
}

/** Says no to a proposed action, or wants a person to see it; undefined has no objection. */
export type Guard = (
  action: ActionDetails,
  run: { readonly step: number; readonly history: readonly TurnInput[]; readonly tasks: readonly Task[] },
) => GuardVerdict | undefined | Promise<GuardVerdict | undefined>;

/** `refuse`: the reason becomes the observation. `ask`: needs approval, whatever the tool says. */
export type GuardVerdict = { readonly type: 'refuse'; readonly reason: string } | { readonly type: 'ask' };
