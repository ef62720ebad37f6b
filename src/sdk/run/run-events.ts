import type { TurnInput } from '../../contract/history.js';
import type { Step } from '../../contract/step.js';
import type { Task } from '../../contract/step-request.js';
import type { ApprovalRequest } from '../actions/approval.js';
import type { InputRequest } from '../actions/client-tools.js';
import type { RunError } from '../base/error-hints.js';
import type { ToolEvent } from '../base/tool-event.js';
import type { RunResult } from './run-result.js';

/**
 * An event of a run (rule: run-events). A run begins with `agent_start` and ends with exactly one of `agent_completion`
 * (an answer, or the step limit) and `agent_stopped` (a stop, an error, or an unanswered question).
 */
export type RunEvent = {
  /** Number of the step; 0 before the first. */
  readonly step: number;
  /** The phase that the event belongs to, in the strategy `reason-act-observe`; absent elsewhere. */
  readonly phase?: Step['phase'];
} & (
  | {
      /** Kind of the event. */
      readonly type: 'agent_start';
      /** The task; empty for a run that continues another one. */
      readonly task: string;
      /** Name of the model. */
      readonly model: string;
      /** Names of the tools. */
      readonly tools: readonly string[];
      /** Maximum number of model calls; of whole rounds in the strategy `reason-act-observe`. */
      readonly maxSteps: number;
    }
  /** A step begins, or a phase of it in the strategy `reason-act-observe`. */
  | {
      /** Kind of the event. */
      readonly type: 'agent_turn_start';
      /** The phase; null in the strategy `react`. */
      readonly phase: Step['phase'];
      /** Steps that are left, this one included. */
      readonly iterationsLeft: number;
    }
  /** Streamed text. A `draft_delta` belongs to the thought or the answer; `agent_reason` later reports which. */
  | {
      /** Kind of the event. */
      readonly type: 'draft_delta' | 'thought_delta' | 'answer_delta';
      /** The text to append. */
      readonly delta: string;
    }
  /**
   * The model has replied. In the strategy `reason-act-observe`, only the phases `reason` and `act` emit this event;
   * the phase `observe` emits `agent_observe` instead.
   */
  | {
      /** Kind of the event. */
      readonly type: 'agent_reason';
      /** The thought of the model; null if it wrote none. */
      readonly thought: string | null;
      /** The whole response of the service. */
      readonly response: Step;
    }
  | {
      /** Kind of the event. */
      readonly type: 'approval_requested';
      /** The question to the person. */
      readonly request: ApprovalRequest;
    }
  | ({
      /** Kind of the event. */
      readonly type: 'tool_start';
    } & ToolEvent)
  /** Output of a running tool, such as a command. If the reader is slow, the beginning of the output is dropped. */
  | ({
      /** Kind of the event. */
      readonly type: 'tool_output';
      /** The output to append. */
      readonly delta: string;
    } & ToolEvent)
  | ({
      /** Kind of the event. */
      readonly type: 'tool_complete';
      /** The result of the tool as text. */
      readonly observation: string;
      /** Milliseconds that the call took. */
      readonly durationMs: number;
    } & ToolEvent)
  | ({
      /** Kind of the event. */
      readonly type: 'tool_error';
      /** The failure in words, as the model reads it. */
      readonly error: string;
      /** True if a person refused the call. */
      readonly denied: boolean;
      /** True if the failure ends the run. */
      readonly terminal: boolean;
      /** Milliseconds that the call took. */
      readonly durationMs: number;
    } & ToolEvent)
  /**
   * The observations of the step's actions, as added to the history. In the strategy `reason-act-observe`, this event
   * comes once a round, with the model's reply of the phase `observe`; `response` is null if the run ended before that
   * reply.
   */
  | {
      /** Kind of the event. */
      readonly type: 'agent_observe';
      /** The turns that the step added to the history. */
      readonly observations: readonly TurnInput[];
      /** The comment of the model in the phase `observe`; null elsewhere. */
      readonly thought: string | null;
      /** The response of the phase `observe`; null elsewhere. */
      readonly response: Step | null;
    }
  | {
      /** Kind of the event. */
      readonly type: 'tasks_updated';
      /** The whole TODO list. */
      readonly tasks: readonly Task[];
    }
  | ({
      /** Kind of the event. */
      readonly type: 'agent_request_input' | 'agent_request_input_timeout';
    } & InputRequest)
  | {
      /** Kind of the event. */
      readonly type: 'context_compacted';
      /** Size of the history before the compaction, in tokens. */
      readonly tokensBefore: number;
      /** Size of the history after the compaction, in tokens. */
      readonly tokensAfter: number;
    }
  /** A step failed. If `retryInMs` is not null, the run retries it after that time. */
  | {
      /** Kind of the event. */
      readonly type: 'agent_error';
      /** The error with advice. */
      readonly error: RunError;
      /** Wait before the next attempt, in milliseconds; null if there is none. */
      readonly retryInMs: number | null;
      /** Name of the model that the run goes on with after an outage; absent for a retry (rule: fallbacks). */
      readonly fallback?: string | undefined;
    }
  | {
      /** Kind of the event. */
      readonly type: 'agent_stopped' | 'agent_completion';
      /** The result of the run. */
      readonly result: RunResult;
    }
);

/** The values of an event's `type`. */
export type RunEventType = RunEvent['type'];
