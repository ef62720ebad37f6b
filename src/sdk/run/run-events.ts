import type { TurnInput } from '../../contract/history.js';
import type { ActionDetails, Step, StepError } from '../../contract/step.js';
import type { Task } from '../../contract/step-request.js';
import type { ApprovalRequest } from '../actions/approval.js';
import type { InputRequest } from '../actions/client-tools.js';
import type { RunResult } from './run-result.js';

/**
 * What happens in a run (rule: run-events). A run begins with `agent_start` and ends with exactly one of
 * `agent_completion` (an answer, or the limit reached) and `agent_stopped` (stopped, an error, input needed).
 */
export type RunEvent = { readonly step: number } & (
  | {
      readonly type: 'agent_start';
      readonly task: string;
      readonly model: string;
      readonly tools: readonly string[];
      /** Model calls, in the strict strategy rounds, that the run may take. */
      readonly max_steps: number;
    }
  /** A step begins; in the strict strategy, a phase of it. */
  | { readonly type: 'agent_turn_start'; readonly phase: Step['phase']; readonly iterations_left: number }
  /** `draft_delta`: prose that will be the thought or the answer; which of them, `agent_reason` tells. */
  | { readonly type: 'draft_delta' | 'thought_delta' | 'answer_delta'; readonly delta: string }
  /** The model has spoken: its thought, and the whole response of the service. Never of the `observe` phase. */
  | { readonly type: 'agent_reason'; readonly thought: string | null; readonly response: Step }
  | { readonly type: 'approval_requested'; readonly request: ApprovalRequest }
  | ({ readonly type: 'tool_start' } & ToolEvent)
  /** A piece of what a tool says while it works, such as a command's output. Of what nobody reads in time, the end. */
  | ({ readonly type: 'tool_output'; readonly delta: string } & ToolEvent)
  | ({
      readonly type: 'tool_complete';
      readonly observation: string;
      readonly duration_ms: number;
    } & ToolEvent)
  | ({
      readonly type: 'tool_error';
      readonly error: string;
      readonly denied: boolean;
      readonly terminal: boolean;
      readonly duration_ms: number;
    } & ToolEvent)
  /**
   * What the step's actions brought, as it now stands in the history; in the `observe` phase of the strict
   * strategy, what the model says of it, with the whole response of the service.
   */
  | {
      readonly type: 'agent_observe';
      readonly observations: readonly TurnInput[];
      readonly thought: string | null;
      readonly response: Step | null;
    }
  | { readonly type: 'tasks_updated'; readonly tasks: readonly Task[] }
  | ({ readonly type: 'agent_request_input' | 'agent_request_input_timeout' } & InputRequest)
  | { readonly type: 'context_compacted'; readonly tokens_before: number; readonly tokens_after: number }
  /** A step failed. With `retry_in_ms` it is tried again. */
  | { readonly type: 'agent_error'; readonly error: StepError; readonly retry_in_ms: number | null }
  | { readonly type: 'agent_stopped' | 'agent_completion'; readonly result: RunResult }
);

/** The `type` of an event. */
export type RunEventType = RunEvent['type'];

/** The call that an event is about. */
export type ToolEvent = Pick<ActionDetails, 'id' | 'tool_name' | 'tool_args'>;
