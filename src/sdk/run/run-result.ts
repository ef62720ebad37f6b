import type { TurnInput } from '../../contract/history.js';
import type { StepError, Usage } from '../../contract/step.js';
import type { Task } from '../../contract/step-request.js';
import type { InputRequest } from '../actions/client-tools.js';
import type { ToolArguments } from '../actions/define-tool.js';
import type { TerminationReason } from '../actions/tool-errors.js';

/** Why a run ended. `denied`: the last thing before the answer was a refusal by a person. */
export type StopReason = 'answered' | 'step_limit' | 'stopped' | 'denied' | 'needs_input' | 'error';

/** What one step came to. */
export interface StepRecord {
  readonly number: number;
  readonly thought: string | null;
  readonly actions: readonly ActionRecord[];
  /** The tasks as they stood after the step. */
  readonly tasks: readonly Task[];
  readonly usage: Usage | null;
}

export interface ActionRecord {
  readonly tool_name: string;
  readonly tool_args: ToolArguments;
  /** The first line of the observation and its size. */
  readonly result_summary: string;
  readonly success: boolean;
}

export interface RunResult {
  /** Always a sentence that can be shown: at the limit, what the model could say, or that it could not finish. */
  readonly answer: string;
  readonly stop_reason: StopReason;
  /** Set where the run ended for good: no further step would mend it. */
  readonly termination_reason: TerminationReason | null;
  readonly steps: readonly StepRecord[];
  /** Valid and ready to go on from, whatever the end was. */
  readonly history: readonly TurnInput[];
  readonly tasks: readonly Task[];
  /** The sum of all model calls. */
  readonly usage: Usage;
  readonly error: StepError | null;
  /** What the model asked, where the run ended with `needs_input`. The next run's task answers it. */
  readonly input_request: InputRequest | null;
  /** The run on a screen: at most 25 lines for 10 steps. */
  summary(): string;
}
