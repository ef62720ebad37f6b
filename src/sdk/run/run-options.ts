import type { TurnInput } from '../../contract/history.js';
import type { ActionDetails } from '../../contract/step.js';
import type { StepRequestInput, Task } from '../../contract/step-request.js';
import type { ApprovalRule, Approve } from '../actions/approval.js';
import type { ClientToolName, InputRequest } from '../actions/client-tools.js';
import type { Tool } from '../actions/define-tool.js';
import { checkTimeLimit } from '../base/timer.js';

/** What a run is given beside its task (rule: run-options). An option that is undefined is one left out. */
export interface RunOptions {
  /** The model and its budget; `tokenLimit` defaults to 32,000, `reservedOutputTokens` to 4,000. */
  readonly llmConfig: RunLlmConfig;
  /**
   * What the model may do; no two of the same name. A function is asked at the beginning and before each step, so that
   * tools may come and go; what it throws ends the run.
   */
  readonly tools?: readonly Tool[] | (() => Promise<readonly Tool[]>) | undefined;
  /** Background for the model, sent with every step. */
  readonly context?: RunContext | undefined;
  /** Extra system text, inside the budget. */
  readonly instructions?: string | undefined;
  /** How the model is taught to act; default `text`. */
  readonly protocol?: NonNullable<StepRequestInput['protocol']> | undefined;
  /** How steps follow one another; default `react`. */
  readonly strategy?: StrategyName | undefined;
  /** Own words in place of the built-in instructions of the phases (rule: phases). */
  readonly phaseInstructions?: NonNullable<StepRequestInput['phase_instructions']> | undefined;
  /** Model calls in `react`, whole rounds in `reason-act-observe`; at least 1, default 10. */
  readonly maxSteps?: number | undefined;
  /** Asked for each action that needs a person's consent. Without it, such actions are denied. */
  readonly approve?: Approve | undefined;
  /** What is allowed without asking (rule: always-rules). */
  readonly approvalRules?: readonly ApprovalRule[] | undefined;
  /** Checks on each proposed action, asked in order before anybody is asked for approval. */
  readonly guards?: readonly Guard[] | undefined;
  /** Answers the model's question. Without it, a question ends the run with `needs_input`. */
  readonly onInputRequest?: ((request: InputRequest, signal: AbortSignal) => Promise<string>) | undefined;
  /** Milliseconds to wait for an answer to a question; default five minutes; `Infinity`: no limit. */
  readonly inputTimeoutMs?: number | undefined;
  /** What becomes of the run when that time is up: it ends with `needs_input` (default), or goes on. */
  readonly onInputTimeout?: 'end' | 'continue' | undefined;
  /** Which of the client's own tools the model is offered; default: all that can work. */
  readonly clientTools?: readonly ClientToolName[] | undefined;
  /** Stops the run: the model call, the tools, and everything that is waited for (rule: one-signal). */
  readonly signal?: AbortSignal | undefined;
  /** When the history is compacted, and how; by default the service only fits it into each prompt. */
  readonly compaction?: CompactionPolicy | undefined;
  /** To go on from: a former run's history. */
  readonly history?: readonly TurnInput[] | undefined;
  /** The TODO list to begin with; default empty. */
  readonly tasks?: readonly Task[] | undefined;
  /** How often a step that failed for a passing reason is tried again; default 2. */
  readonly retries?: number | undefined;
  /** Milliseconds after which a tool is given up; default two minutes; `Infinity`: no limit. */
  readonly toolTimeoutMs?: number | undefined;
  /** False asks for whole steps instead of streams: then there are no deltas. */
  readonly stream?: boolean | undefined;
  /** How much of the context report each step brings; default `summary`. */
  readonly report?: 'full' | 'summary' | 'none' | undefined;
  /**
   * Told each step's request as it is about to be sent, once for every try. It holds no key: that travels in a
   * header. What it throws ends the run like an error of the caller's own.
   */
  readonly onRequest?: ((request: StepRequestInput) => void) | undefined;
  /** A UUID for logs, and the project's name in a context source; default: a new one. */
  readonly projectId?: string | undefined;
  /** A UUID for logs; default: a new one. */
  readonly sessionId?: string | undefined;
}

const MOST_STEPS = 2 ** 31 - 1;

/** Throws `RangeError` for options with which a run would end at once or never. */
export function checkRunOptions({ maxSteps = 1, inputTimeoutMs, toolTimeoutMs }: RunOptions): void {
  checkTimeLimit('inputTimeoutMs', inputTimeoutMs);
  checkTimeLimit('toolTimeoutMs', toolTimeoutMs);
  if (Number.isInteger(maxSteps) && maxSteps >= 1 && maxSteps <= MOST_STEPS) return;
  throw new RangeError(`maxSteps must be a whole number from 1 to ${MOST_STEPS}, not ${maxSteps}.`);
}

/** `react`: thought, action and observation in one model call. `reason-act-observe`: a model call for each. */
export type StrategyName = 'react' | 'reason-act-observe';

type LlmConfigInput = StepRequestInput['llm_config'];

/** The request's `llm_config`, of which only the model's name must be given. */
export type RunLlmConfig = {
  readonly [Name in keyof LlmConfigInput]?: LlmConfigInput[Name] | undefined;
} & Pick<LlmConfigInput, 'modelName'>;

/** Background for the model. `inline` contents travel with the request, so that a remote service needs no files. */
export interface RunContext {
  /** Files and folders; `path:10-40` takes lines. */
  readonly paths?: readonly string[] | undefined;
  /** Ids of pinned items, as the context source or `inline` knows them. */
  readonly pinned?: readonly string[] | undefined;
  /** The editor's focus: a file, and perhaps the selected lines. */
  readonly focus?: StepRequestInput['implicit_context'];
  /** Chunks that the caller found by a search of its own. */
  readonly vectorResults?: readonly RetrievedChunk[] | undefined;
  /** Contents that win over any other source. */
  readonly inline?: InlineContents | undefined;
}

/** A piece of a file that a search found. */
export interface RetrievedChunk {
  /** The file, with `/` between its folders. */
  readonly path: string;
  /** The text of the piece. */
  readonly content: string;
  /** How near the search found it. */
  readonly score?: number | undefined;
  /** The first line, counted from 1. */
  readonly start_line?: number | undefined;
  /** The last line. */
  readonly end_line?: number | undefined;
}

/** Contents that travel with the request. */
export interface InlineContents {
  /** Whole files, by their paths. */
  readonly files?: readonly { readonly path: string; readonly content: string }[] | undefined;
  /** Notes and snippets, by their ids. */
  readonly pinned_items?:
    | readonly {
        readonly id: string;
        readonly title?: string | undefined;
        readonly content: string;
      }[]
    | undefined;
}

/** When the history is compacted, and how. Without a policy the service masks and drops by itself, per prompt. */
export interface CompactionPolicy {
  /** `mask` is deterministic and needs no key; `summarize` makes one model call. */
  readonly strategy: 'mask' | 'summarize';
  /** What is left afterwards, in tokens; default a quarter of the prompt's budget. */
  readonly targetTokens?: number | undefined;
}

/** Says no to a proposed action, or wants a person to see it; undefined has no objection. */
export type Guard = (
  action: ActionDetails,
  run: { readonly step: number; readonly history: readonly TurnInput[]; readonly tasks: readonly Task[] },
) => GuardVerdict | undefined | Promise<GuardVerdict | undefined>;

/** `refuse`: the reason becomes the observation. `ask`: needs approval, whatever the tool says. */
export type GuardVerdict = { readonly type: 'refuse'; readonly reason: string } | { readonly type: 'ask' };
