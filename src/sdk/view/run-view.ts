import type { ContextReport } from '../../contract/context-report.js';
import type { Step, StepError, Usage } from '../../contract/step.js';
import type { StepRequestInput, Task } from '../../contract/step-request.js';
import { noUsage, sumUsage } from '../../conversation/usage.js';
import type { ApprovalRequest } from '../actions/approval.js';
import type { InputRequest } from '../actions/client-tools.js';
import type { ToolArguments } from '../actions/define-tool.js';
import type { RunResult } from '../run/run-result.js';

/**
 * The state of a run for a user interface, made from its events by `reduceRun` (rule: run-view). Plain data, never
 * changed in place: the parts that an event does not change stay the same objects, so a UI may compare by identity.
 */
export interface RunView {
  /** The task; empty before the run and for a run that continues another one. */
  readonly task: string;
  /** Name of the model; empty before the run. */
  readonly model: string;
  /** Names of the tools that the run began with. */
  readonly tools: readonly string[];
  /** Maximum number of steps of the run; 0 before the run. */
  readonly maxSteps: number;
  /** Steps that the run may still take. */
  readonly iterationsLeft: number;
  /** The steps, oldest first. Steps before the last one never change again. */
  readonly steps: readonly StepView[];
  /** Number of steps at the beginning that belong to earlier runs. */
  readonly inherited: number;
  /** The TODO list; empty if there is none. */
  readonly tasks: readonly Task[];
  /** The current activity of the run; null before the run and after it. */
  readonly activity: Activity | null;
  /** Context report of the newest prompt; null if no response had one. */
  readonly report: ContextReport | null;
  /** Tokens of all steps, as the providers counted them. `result.usage` also has those of compactions. */
  readonly usage: Usage;
  /** The result: stop reason, answer, error; null until the run ends. */
  readonly result: Omit<RunResult, 'summary'> | null;
}

/** A step: one model call (in the strategy `reason-act-observe` one per phase) and the tool calls it led to. */
export interface StepView {
  /** Counted from 1, inherited steps included. */
  readonly number: number;
  /** Calls of the model, oldest first; empty while the history is compacted before the first call. */
  readonly calls: readonly ModelCallView[];
  /** Calls of tools, in the order in which the model proposed them. */
  readonly actions: readonly ActionView[];
  /** The TODO list after the step. */
  readonly tasks: readonly Task[];
  /** Compactions of the history before the step's calls. */
  readonly compactions: readonly CompactionView[];
}

/** One request to the service, with its retries, and the response. */
export interface ModelCallView {
  /** The phase of the strategy `reason-act-observe`; null in `react`. */
  readonly phase: Step['phase'];
  /** The newest request of this call; null unless the UI passes `request_sent` events. */
  readonly request: StepRequestInput | null;
  /** The response of the service; null until it arrives. */
  readonly response: Step | null;
  /** Streamed text that may become thought or answer; empty once the response says which. */
  readonly draft: string;
  /** The thought: first streamed text, then the one of the response; empty without one. */
  readonly thought: string;
  /** The answer: first streamed text, then the one of the response, or the text of an incomplete reply; empty without one. */
  readonly answer: string;
  /** The model's own reasoning as the provider reports it with the response; empty if there is none. */
  readonly reasoning: string;
  /** True while `draft`, `thought` and `answer` come from a failed attempt; the next attempt replaces them. */
  readonly isStale: boolean;
  /** Failed attempts, oldest first. `retryInMs` is null for the attempt that ended the run. */
  readonly failures: readonly {
    /** The error of the attempt. */
    readonly error: StepError;
    /** Wait before the next attempt, in milliseconds; null if there is none. */
    readonly retryInMs: number | null;
  }[];
  /** True if the run ended before the response. */
  readonly isAbandoned: boolean;
  /** Start of the first attempt. */
  readonly startedAt: Moment;
  /** Time of the response or of the newest failure. */
  readonly endedAt: Moment;
}

/** A tool call of a step. */
export interface ActionView {
  /** The id of the call, unique within the run. */
  readonly id: string;
  /** Name of the tool. */
  readonly tool: string;
  /** The arguments that the model wrote; once the call has started, the arguments it runs with. */
  readonly args: ToolArguments;
  /**
   * `asked` waits for approval; `failed` includes calls that a guard refused; `denied` was refused by a person;
   * `skipped` did not start before the run ended; `stopped` was running when the run ended.
   */
  readonly state: 'proposed' | 'asked' | 'running' | 'done' | 'failed' | 'denied' | 'skipped' | 'stopped';
  /** The request for approval; null if nobody was asked. */
  readonly approval: ApprovalView | null;
  /** The question of a `request_input` call; null for any other. */
  readonly question: QuestionView | null;
  /** Output of the running tool so far: the last `MAX_OUTPUT_CHARS` characters. */
  readonly output: string;
  /**
   * Result of the tool, or the reason of its failure; null until the call has ended, and for calls that did not
   * run.
   */
  readonly result: string | null;
  /** The result as the model reads it, with a remark if a person changed the arguments; null until there is one. */
  readonly observation: string | null;
  /** Milliseconds that the call took; null until it has ended, for denied calls, and without a clock. */
  readonly durationMs: number | null;
}

/** A request for approval. The decision is known when the call starts, is refused, or the run ends. */
export interface ApprovalView {
  /** The question to the person. */
  readonly request: ApprovalRequest;
  /** `none`: the run ended without a decision. */
  readonly decision: 'pending' | 'allowed' | 'denied' | 'none';
}

/** A question of the model to the person. */
export interface QuestionView {
  /** The question, with the choices that the model suggests. */
  readonly request: InputRequest;
  /** `timed_out`: nobody answered in `request.timeoutMs`; `none`: the run ended without an answer. */
  readonly state: 'pending' | 'answered' | 'timed_out' | 'none';
}

/** A time in milliseconds of the UI's clock; null without a clock (in a saved run) or if it has not been reached. */
export type Moment = number | null;

/** A compaction of the history. */
export interface CompactionView {
  /** Size of the history before the compaction, in tokens. */
  readonly tokensBefore: number;
  /** Size of the history after the compaction, in tokens. */
  readonly tokensAfter: number;
}

/** The current activity of a run and its start. */
export type Activity = {
  /** Start of the activity. */
  readonly since: Moment;
} & (
  | {
      /** Kind of the activity. */
      readonly type: 'thinking' | 'writing';
    }
  | {
      /** Kind of the activity. */
      readonly type: 'tool' | 'approval';
      /** Name of the tool. */
      readonly tool: string;
    }
  | {
      /** Kind of the activity. */
      readonly type: 'question';
      /** The question to the person. */
      readonly question: InputRequest;
    }
  | {
      /** Kind of the activity. */
      readonly type: 'retry';
      /** The error of the failed attempt. */
      readonly error: StepError;
      /** Wait before the next attempt, in milliseconds. */
      readonly retryInMs: number;
    }
);

/** A request of the run as `onRequest` reports it, for a UI that shows requests. */
export interface RequestSent {
  /** Kind of the event. */
  readonly type: 'request_sent';
  /** The request; it holds no key. */
  readonly request: StepRequestInput;
}

/** Maximum length of `ActionView.output`, in characters. */
export const MAX_OUTPUT_CHARS = 60_000;

/** Returns the view of a run that has not started. `inherited` are the steps of the earlier runs that it continues. */
export function emptyRun(inherited: readonly StepView[] = []): RunView {
  const responses = inherited.flatMap(({ calls }) => calls).flatMap(({ response }) => response ?? []);
  return {
    task: '',
    model: '',
    tools: [],
    maxSteps: 0,
    iterationsLeft: 0,
    steps: inherited,
    inherited: inherited.length,
    tasks: inherited.at(-1)?.tasks ?? [],
    activity: null,
    report: responses.findLast(({ context_report }) => context_report)?.context_report ?? null,
    usage: responses.reduce((sum, { usage }) => (usage ? sumUsage(sum, usage) : sum), noUsage),
    result: null,
  };
}
