import type { TurnInput } from '../../contract/history.js';
import type { Step } from '../../contract/step.js';
import type { Task } from '../../contract/step-request.js';
import type { ApprovalRequest } from '../actions/approval.js';
import type { InputRequest } from '../actions/client-tools.js';
import type { ToolEvent } from '../base/tool-event.js';
import type { RunError } from './error-hints.js';
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
      readonly type: 'agent_start';
      readonly task: string;
      readonly model: string;
      readonly tools: readonly string[];
      /** Maximum number of model calls; of whole rounds in the strategy `reason-act-observe`. */
      readonly maxSteps: number;
    }
  /** A step begins, or a phase of it in the strategy `reason-act-observe`. */
  | { readonly type: 'agent_turn_start'; readonly phase: Step['phase']; readonly iterationsLeft: number }
  /** Streamed text. A `draft_delta` belongs to the thought or the answer; `agent_reason` later reports which. */
  | { readonly type: 'draft_delta' | 'thought_delta' | 'answer_delta'; readonly delta: string }
  /**
   * The model has replied. Has the whole response of the service. In the strategy `reason-act-observe` it comes in the phases
   * `reason` and `act`; the phase `observe` emits `agent_observe` instead.
   */
  | { readonly type: 'agent_reason'; readonly thought: string | null; readonly response: Step }
  | { readonly type: 'approval_requested'; readonly request: ApprovalRequest }
  | ({ readonly type: 'tool_start' } & ToolEvent)
  /** Output of a running tool, such as a command. If the reader is slow, the beginning of the output is dropped. */
  | ({ readonly type: 'tool_output'; readonly delta: string } & ToolEvent)
  | ({
      readonly type: 'tool_complete';
      readonly observation: string;
      readonly durationMs: number;
    } & ToolEvent)
  | ({
      readonly type: 'tool_error';
      readonly error: string;
      readonly denied: boolean;
      readonly terminal: boolean;
      readonly durationMs: number;
    } & ToolEvent)
  /**
   * The observations of the step's actions, as added to the history. In the strategy `reason-act-observe` it comes once a
   * round, with the model's reply of the phase `observe`; `response` is null if the run ended before that.
   */
  | {
      readonly type: 'agent_observe';
      readonly observations: readonly TurnInput[];
      readonly thought: string | null;
      readonly response: Step | null;
    }
  | { readonly type: 'tasks_updated'; readonly tasks: readonly Task[] }
  | ({ readonly type: 'agent_request_input' | 'agent_request_input_timeout' } & InputRequest)
  | { readonly type: 'context_compacted'; readonly tokensBefore: number; readonly tokensAfter: number }
  /** A step failed. If `retryInMs` is not null, the run retries it after that time. */
  | { readonly type: 'agent_error'; readonly error: RunError; readonly retryInMs: number | null }
  | { readonly type: 'agent_stopped' | 'agent_completion'; readonly result: RunResult }
);

/** The values of an event's `type`. */
export type RunEventType = RunEvent['type'];
