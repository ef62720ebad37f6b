import type { TurnInput } from '../../contract/history.js';
import type { Usage } from '../../contract/step.js';
import type { Task } from '../../contract/step-request.js';
import { renderCall } from '../../conversation/call-text.js';
import type { InputRequest } from '../actions/client-tools.js';
import type { ToolArguments } from '../actions/define-tool.js';
import type { PendingApproval } from '../actions/pending-approval.js';
import type { TerminationReason } from '../actions/tool-errors.js';
import { describeError, type RunError } from '../base/error-hints.js';

/** Reason for the end of a run. `denied`: a person refused a call of the last step before the answer. */
export type StopReason =
  | 'answered'
  | 'step_limit'
  | 'stopped'
  | 'denied'
  | 'needs_input'
  | 'needs_approval'
  | 'error';

/** A summary of one step. */
export interface StepRecord {
  /** Number of the step, from 1. */
  readonly number: number;
  /** The newest thought of the step; null if the model wrote none. */
  readonly thought: string | null;
  /** The actions of the step, in order. */
  readonly actions: readonly ActionRecord[];
  /** The TODO list after the step. */
  readonly tasks: readonly Task[];
  /** Tokens of the step's model calls, as the provider counted them; null without any call. */
  readonly usage: Usage | null;
}

/** One action of a step. */
export interface ActionRecord {
  /** Name of the tool. */
  readonly toolName: string;
  /** The arguments that the tool ran with. */
  readonly toolArgs: ToolArguments;
  /** The first line of the observation, and how many more there are. */
  readonly resultSummary: string;
  /** False if the action failed, was denied, or did not run. */
  readonly success: boolean;
}

/** The result of a run, with everything that happened in it (rule: run-result). */
export interface RunResult<Answer = unknown> {
  /**
   * The answer; null if the run ended without one (`error`, `stopped`, `needs_input`, `needs_approval`). At the step limit, a sentence that the
   * run could not finish, and the last text of the model.
   */
  readonly answer: string | null;
  /**
   * The answer as data, in the type of `answerSchema`. Null without one, and if the run ended without an answer that fits
   * (rule: typed-results).
   */
  readonly value: Answer | null;
  /** Reason for the end. */
  readonly stopReason: StopReason;
  /** Set if no further step can help; null otherwise. */
  readonly terminationReason: TerminationReason | null;
  /** All steps, oldest first. */
  readonly steps: readonly StepRecord[];
  /** The history; valid whatever the end was, so that another run can continue it. */
  readonly history: readonly TurnInput[];
  /** The TODO list at the end. */
  readonly tasks: readonly Task[];
  /** Tokens of all model calls, as the provider counted them. */
  readonly usage: Usage;
  /** The error with advice; null unless `stopReason` is `error`. */
  readonly error: RunError | null;
  /** The open question if the run ended with `needs_input`, else null. The task of the next run is its answer. */
  readonly inputRequest: InputRequest | null;
  /**
   * The calls that wait for approval if the run ended with `needs_approval`, else empty. `client.resume` goes on with the
   * decisions about them.
   */
  readonly pending: readonly PendingApproval[];
  /** Returns a summary for a terminal: at most ten steps, at most 25 lines. */
  summary(): string;
}

const MAX_STEPS = 10;
const MAX_LINE_CHARS = 110;

/** Explains why a run has no answer, in one sentence, with the first detail, the code and the advice of an error. Returns the answer if there is one. */
export function explainEnd({ answer, error, stopReason, pending }: Omit<RunResult, 'summary'>): string {
  if (!error)
    return answer ?? [endOf(stopReason, pending), ...pending.map(waitsAgain).filter(Boolean)].join('\n');
  return [describeError(error), ...(error.hint ? [error.hint] : [])].join('\n');
}

/** Returns the reason why a run has no answer. Names the tools of the waiting calls, since nothing else shows them. */
function endOf(stopReason: StopReason, pending: readonly PendingApproval[]): string {
  if (pending.length === 0) return ends[stopReason];
  const names = [...new Set(pending.map(({ toolName }) => toolName))].join(', ');
  return `The run waits for the approval of ${names}.`;
}

const waitsAgain = (call: PendingApproval): string =>
  call.waitsAgain ? `${call.id} waits again. ${call.waitsAgain}` : '';

const ends: Readonly<Record<StopReason, string>> = {
  answered: 'Done.',
  denied: 'Done, except for what was denied.',
  step_limit: 'The task could not be finished within the allowed number of steps.',
  stopped: 'The run was stopped before there was an answer.',
  needs_input: 'The run waits for an answer to a question.',
  needs_approval: 'The run waits for an approval.',
  error: 'The run failed.',
};

/** Summarizes a run for a terminal: an error first, then the newest ten steps with two lines each, then the answer. */
export function summarizeRun(result: Omit<RunResult, 'summary'>): string {
  const { steps, stopReason, usage, tasks, answer, error } = result;
  const newest = steps.slice(-MAX_STEPS);
  const hidden = steps.length - newest.length;
  const counted = usage.input_tokens === null ? '' : `, ${usage.input_tokens} tokens in`;
  const written = usage.output_tokens === null ? '' : `, ${usage.output_tokens} out`;
  const done = tasks.filter(({ status }) => status === 'completed').length;
  return [
    ...(error
      ? explainEnd(result)
          .split('\n')
          .map((line) => `✗ ${line}`)
      : []),
    `${stopReason} after ${steps.length} ${steps.length === 1 ? 'step' : 'steps'}${counted}${written}`,
    ...(hidden > 0 ? [`  … ${hidden} earlier steps`] : []),
    ...newest.flatMap(stepLines),
    ...(tasks.length > 0 ? [`Tasks: ${done} of ${tasks.length} completed`] : []),
    ...(answer === null ? [] : [oneLine(`Answer: ${answer}`)]),
  ].join('\n');
}

function stepLines({ number, thought, actions }: StepRecord): string[] {
  const head = oneLine(`${String(number).padStart(2)}. ${thought || '(no thought)'}`);
  return actions.length === 0 ? [head] : [head, oneLine(`    ${actions.map(actionText).join('; ')}`)];
}

const actionText = ({ toolName, toolArgs, resultSummary, success }: ActionRecord): string =>
  `${success ? '✓' : '✗'} ${renderCall(toolName, toolArgs)} → ${resultSummary}`;

function oneLine(text: string): string {
  const [first = '', ...more] = text.split('\n');
  const line = [first.trimEnd(), ...more.map((each) => each.trim()).filter(Boolean)].join(' ');
  return line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS - 1)}…` : line;
}
