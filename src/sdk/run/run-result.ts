import type { TurnInput } from '../../contract/history.js';
import type { StepError, Usage } from '../../contract/step.js';
import type { Task } from '../../contract/step-request.js';
import { renderCall } from '../../conversation/call-text.js';
import type { InputRequest } from '../actions/client-tools.js';
import type { ToolArguments } from '../actions/define-tool.js';
import type { TerminationReason } from '../actions/tool-errors.js';

/** Why a run ended. `denied`: the last thing before the answer was a refusal by a person. */
export type StopReason = 'answered' | 'step_limit' | 'stopped' | 'denied' | 'needs_input' | 'error';

/** What one step came to. */
export interface StepRecord {
  /** From 1. */
  readonly number: number;
  /** The newest thought of the step; null if the model wrote none. */
  readonly thought: string | null;
  /** What it did, in order. */
  readonly actions: readonly ActionRecord[];
  /** The tasks as they stood after the step. */
  readonly tasks: readonly Task[];
  /** The provider's counts of the step's model calls; null if there were none. */
  readonly usage: Usage | null;
}

/** One action of a step. */
export interface ActionRecord {
  /** The tool. */
  readonly tool_name: string;
  /** Its arguments, as they ran. */
  readonly tool_args: ToolArguments;
  /** The first line of the observation and its size. */
  readonly result_summary: string;
  /** False if it failed, was denied, or did not run. */
  readonly success: boolean;
}

/** How a run ended, and everything that happened in it (rule: run-result). */
export interface RunResult {
  /** Always a sentence that can be shown: at the limit, what the model could say, or that it could not finish. */
  readonly answer: string;
  /** Why it ended. */
  readonly stop_reason: StopReason;
  /** Set where the run ended for good: no further step would mend it. */
  readonly termination_reason: TerminationReason | null;
  /** Every step, oldest first. */
  readonly steps: readonly StepRecord[];
  /** Valid and ready to go on from, whatever the end was. */
  readonly history: readonly TurnInput[];
  /** The TODO list as it stood at the end. */
  readonly tasks: readonly Task[];
  /** The sum of all model calls. */
  readonly usage: Usage;
  /** What went wrong; null unless `stop_reason` is `error`. */
  readonly error: StepError | null;
  /** What the model asked, where the run ended with `needs_input`. The next run's task answers it. */
  readonly input_request: InputRequest | null;
  /** The run on a screen: at most 25 lines for 10 steps. */
  summary(): string;
}

const MAX_STEPS = 10;
/** In characters. */
const MAX_WIDTH = 110;

/** A run on a screen: two lines a step, at most ten steps, and what came out. */
export function summarizeRun(result: Omit<RunResult, 'summary'>): string {
  const { steps, stop_reason, usage, tasks, answer } = result;
  const shown = steps.slice(-MAX_STEPS);
  const hidden = steps.length - shown.length;
  const counted = usage.input_tokens === null ? '' : `, ${usage.input_tokens} tokens in`;
  const written = usage.output_tokens === null ? '' : `, ${usage.output_tokens} out`;
  const done = tasks.filter(({ status }) => status === 'completed').length;
  return [
    `${stop_reason} after ${steps.length} ${steps.length === 1 ? 'step' : 'steps'}${counted}${written}`,
    ...(hidden > 0 ? [`  … ${hidden} earlier steps`] : []),
    ...shown.flatMap(stepLines),
    ...(tasks.length > 0 ? [`Tasks: ${done} of ${tasks.length} completed`] : []),
    oneLine(`Answer: ${answer}`),
  ].join('\n');
}

function stepLines({ number, thought, actions }: StepRecord): string[] {
  const head = oneLine(`${String(number).padStart(2)}. ${thought || '(no thought)'}`);
  return actions.length === 0 ? [head] : [head, oneLine(`    ${actions.map(actionText).join('; ')}`)];
}

const actionText = ({ tool_name, tool_args, result_summary, success }: ActionRecord): string =>
  `${success ? '✓' : '✗'} ${renderCall(tool_name, tool_args)} → ${result_summary}`;

function oneLine(text: string): string {
  const [first = '', ...more] = text.split('\n');
  const line = [first.trimEnd(), ...more.map((each) => each.trim()).filter(Boolean)].join(' ');
  return line.length > MAX_WIDTH ? `${line.slice(0, MAX_WIDTH - 1)}…` : line;
}
