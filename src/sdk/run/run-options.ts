import type { Attachment } from '../../contract/attachment.js';
import type { TurnInput } from '../../contract/history.js';
import type { ActionDetails } from '../../contract/step.js';
import type { StepRequestInput, Task } from '../../contract/step-request.js';
import type { LlmConfigInput } from '../../contract/wire-types.js';
import type { ApprovalRule, Approve } from '../actions/approval.js';
import type { ClientToolName, InputRequest } from '../actions/client-tools.js';
import type { Tool } from '../actions/define-tool.js';
import type { AnswerSchema } from './answer-schema.js';

/** The options of a run (rule: run-options). An undefined option means the same as an omitted one. */
export interface RunOptions {
  /** The model and its budget; `tokenLimit` defaults to 32,000, `reservedOutputTokens` to 4,000. */
  readonly llmConfig: RunLlmConfig;
  /**
   * The tools that the model may call; names must be unique. A function is called at the start and before each step, so
   * that tools can change during the run; if it throws, the run ends with an error.
   */
  readonly tools?: readonly Tool[] | (() => Promise<readonly Tool[]>) | undefined;
  /** Files and other background for the model, sent with every step. */
  readonly context?: RunContext | undefined;
  /** Images and PDF files that belong to the task, in base64. */
  readonly attachments?: readonly Attachment[] | undefined;
  /** Additional system text; counts towards the token budget. */
  readonly instructions?: string | undefined;
  /**
   * The form of the final answer (rule: typed-results): a schema of Zod or any other library of Standard Schema, or a JSON
   * Schema. The answer is then `value` of the result, in the type of the schema.
   */
  readonly answerSchema?: AnswerSchema | undefined;
  /** The format in which the model writes calls; default `text`. */
  readonly protocol?: NonNullable<StepRequestInput['protocol']> | undefined;
  /** The order of model calls and actions; default `react`. */
  readonly strategy?: StrategyName | undefined;
  /** Texts that replace the built-in instructions of the phases (rule: phases). */
  readonly phaseInstructions?: NonNullable<StepRequestInput['phase_instructions']> | undefined;
  /** Maximum number of model calls in `react`, of whole rounds in `reason-act-observe`; at least 1, default 10. */
  readonly maxSteps?: number | undefined;
  /**
   * `answer` (default) makes the model answer in the last step. With `allow_action`, the model may act in the last
   * step: the action runs, and the run then ends with `step_limit` (rule: last-iteration).
   */
  readonly onLastIteration?: NonNullable<StepRequestInput['on_last_iteration']> | undefined;
  /**
   * Asks a person to approve an action that requires approval. Without `approve`, the run ends as `needs_approval`, and
   * `client.resume` continues it with the decision (rule: waiting-approvals).
   */
  readonly approve?: Approve | undefined;
  /** Rules for calls that need no approval (rule: always-rules); default none. */
  readonly approvalRules?: readonly ApprovalRule[] | undefined;
  /** Checks of each proposed action; called in order, before `approve`. */
  readonly guards?: readonly Guard[] | undefined;
  /** Asks the person a question of the model. Without it, a question ends the run with `needs_input`. */
  readonly onInputRequest?: ((request: InputRequest, signal: AbortSignal) => Promise<string>) | undefined;
  /** Maximum wait for the answer to a question, in milliseconds; default five minutes. `Infinity`: no limit. */
  readonly inputTimeoutMs?: number | undefined;
  /** Whether an unanswered question ends the run with `needs_input` (default) or the run continues. */
  readonly onInputTimeout?: 'end' | 'continue' | undefined;
  /** The SDK's own tools to offer; default all, `compact_context` only with a `compaction` policy. */
  readonly clientTools?: readonly ClientToolName[] | undefined;
  /** Stops the run: its model call, its tools, and any question to a person (rule: one-signal). */
  readonly signal?: AbortSignal | undefined;
  /** Policy for shortening the history. Without one, the service fits the history into each prompt. */
  readonly compaction?: CompactionPolicy | undefined;
  /** History of an earlier run to continue; default empty. */
  readonly history?: readonly TurnInput[] | undefined;
  /**
   * The initial TODO list; default empty. With a `history`, pass that conversation's list: it is kept if the task is
   * empty or answers a question, while a new task starts with an empty list.
   */
  readonly tasks?: readonly Task[] | undefined;
  /** Maximum number of retries of a step that failed temporarily; default 2. */
  readonly retries?: number | undefined;
  /**
   * Models to go on with, in this order, if the provider of the current one stays unavailable after all retries (rule:
   * fallbacks); default none.
   */
  readonly fallbacks?: readonly Fallback[] | undefined;
  /** Time limit of one tool call in milliseconds; default two minutes. `Infinity`: no limit. */
  readonly toolTimeoutMs?: number | undefined;
  /** If false, requests whole steps instead of streams, so the run has no delta events. Default true. */
  readonly stream?: boolean | undefined;
  /**
   * If false, responses have only the basic fields (rule: source-fields), without corrections, signals, usage and
   * warnings. Requires the strategy `react` and a protocol other than `native`. Default true.
   */
  readonly extensions?: boolean | undefined;
  /** Size of the context report in each response; default `summary`. */
  readonly report?: 'full' | 'summary' | 'none' | undefined;
  /**
   * If true, the saved run contains the complete input and output of each step, for `stepwise eval` (rule:
   * run-records). Cannot be combined with `extensions: false`. Default false.
   */
  readonly record?: boolean | undefined;
  /**
   * Receives the request of each step right before it is sent, once per attempt. The request holds no key, which is sent
   * in a header. If `onRequest` throws, the run ends with an error. A promise that it returns is not awaited, and its
   * rejection is ignored.
   */
  readonly onRequest?: ((request: StepRequestInput) => void) | undefined;
  /** UUID of the project for logs and for the service's context source; default: a new one. */
  readonly projectId?: string | undefined;
  /** UUID of the session for logs; default: a new one. */
  readonly sessionId?: string | undefined;
}

/** The options of a run whose answer has the type that its `answerSchema` defines. */
export type TypedRunOptions<Answer> = RunOptions & {
  /** The form of the final answer, which gives `value` of the result its type (rule: typed-results). */
  readonly answerSchema?: AnswerSchema<Answer> | undefined;
};

/** `react`: thought, action and observation in one model call. `reason-act-observe`: a model call for each. */
export type StrategyName = 'react' | 'reason-act-observe';

/** The `llm_config` of the request; all fields but the model's name have defaults. */
export type RunLlmConfig = {
  readonly [Name in keyof LlmConfigInput]?: LlmConfigInput[Name] | undefined;
} & Pick<LlmConfigInput, 'modelName'>;

/** A model for the rest of a run after an outage. */
export interface Fallback {
  /** The model and its budget, with the defaults of `llmConfig` of the run. */
  readonly llmConfig: RunLlmConfig;
  /** API key of its provider; default: that of the client. It is stored nowhere, also not in a saved run. */
  readonly llmKey?: string | undefined;
}

/** Background for the model. `inline` contents are sent with each request, so that a remote service needs no files. */
export interface RunContext {
  /** Paths of files and folders; `path:10-40` selects lines. */
  readonly paths?: readonly string[] | undefined;
  /** Ids of pinned items of the context source or of `inline`. */
  readonly pinned?: readonly string[] | undefined;
  /** The file that the editor shows, and the selected lines. */
  readonly focus?: StepRequestInput['implicit_context'];
  /** Chunks that the caller's own search found. */
  readonly vectorResults?: readonly RetrievedChunk[] | undefined;
  /** Contents of files and pinned items; they win over any other source. */
  readonly inline?: InlineContents | undefined;
}

/** A chunk of a file that a search found. */
export interface RetrievedChunk {
  /** Path of the file, with `/` as the separator. */
  readonly path: string;
  /** The text of the chunk. */
  readonly content: string;
  /** Score that the search gave the chunk. */
  readonly score?: number | undefined;
  /** Number of the first line, counted from 1. */
  readonly start_line?: number | undefined;
  /** Number of the last line, included. */
  readonly end_line?: number | undefined;
}

/** Contents that are sent with the request. */
export interface InlineContents {
  /** Whole files. */
  readonly files?:
    | readonly {
        /** Path of the file, with `/` as the separator. */
        readonly path: string;
        /** The whole text of the file. */
        readonly content: string;
      }[]
    | undefined;
  /** Notes and snippets. */
  readonly pinned_items?:
    | readonly {
        /** Id of the item, as in `pinned`. */
        readonly id: string;
        /** Title of the item in the prompt. */
        readonly title?: string | undefined;
        /** The text of the item. */
        readonly content: string;
      }[]
    | undefined;
}

/** A policy for shortening the history. The run applies it when the service suggests it or the model asks for it. */
export interface CompactionPolicy {
  /** `mask` is deterministic and needs no key; `summarize` makes one model call. */
  readonly strategy: 'mask' | 'summarize';
  /** Target size of the history in tokens; default a quarter of the prompt's budget. */
  readonly targetTokens?: number | undefined;
}

/** Checks a proposed action: refuses it, sends it to a person for approval, or returns undefined to let it pass. */
export type Guard = (
  action: ActionDetails,
  run: {
    /** Number of the step. */
    readonly step: number;
    /** The history so far. */
    readonly history: readonly TurnInput[];
    /** The TODO list. */
    readonly tasks: readonly Task[];
  },
) => GuardVerdict | undefined | Promise<GuardVerdict | undefined>;

/** `refuse`: the reason becomes the observation. `ask`: a person must approve the action, even if the tool needs no approval. */
export type GuardVerdict =
  | {
      /** Kind of the verdict. */
      readonly type: 'refuse';
      /** The reason for the model. */
      readonly reason: string;
    }
  | {
      /** Kind of the verdict. */
      readonly type: 'ask';
    };
