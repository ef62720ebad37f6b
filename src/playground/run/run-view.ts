import type {
  ApprovalRequest,
  InputRequest,
  RunEvent,
  RunResult,
  Step,
  StepError,
  StepRequestInput,
  Task,
  ToolArguments,
} from '../../sdk/index.js';

/** A run as the page shows it: what its events and requests have come to so far. */
export interface RunView {
  readonly task: string;
  readonly model: string;
  readonly tools: readonly string[];
  readonly maxSteps: number;
  readonly iterationsLeft: number;
  /** Oldest first. A branch begins with those of the run it left. */
  readonly steps: readonly StepView[];
  /** How many of the steps were taken over from the run it left. */
  readonly inherited: number;
  readonly tasks: readonly Task[];
  /** What goes on now; null before the run, and after it. */
  readonly activity: Activity | null;
  readonly result: Omit<RunResult, 'summary'> | null;
}

/** A step: one model call, in the strict strategy one for each phase, and what it led to. */
export interface StepView {
  /** From 1. */
  readonly number: number;
  readonly calls: readonly ModelCallView[];
  readonly actions: readonly ActionView[];
  /** The TODO list as it stands after the step. */
  readonly tasks: readonly Task[];
  readonly compactions: readonly Compacted[];
}

/** One request to the service and what came of it. */
export interface ModelCallView {
  readonly phase: Step['phase'];
  /** Null for a moment only: before it is sent. */
  readonly request: StepRequestInput | null;
  readonly response: Step | null;
  /** Grows while the model writes; the response's own in the end. */
  readonly thought: string;
  readonly answer: string;
  /** Every failure of a try, oldest first; the last one without a next try ended the run. */
  readonly failures: readonly { readonly error: StepError; readonly retryInMs: number | null }[];
  /** The run ended before there was a response. */
  readonly isAbandoned: boolean;
  readonly startedAt: Moment;
  readonly endedAt: Moment;
}

/** A call to a tool. */
export interface ActionView {
  readonly id: string;
  readonly tool: string;
  /** As the model wrote them; as they ran, once they ran. */
  readonly args: ToolArguments;
  readonly state: 'proposed' | 'asked' | 'running' | 'done' | 'failed' | 'denied' | 'skipped' | 'stopped';
  /** What a person was asked. */
  readonly approval: ApprovalRequest | null;
  /** As it stands in the history; null until there is one. */
  readonly observation: string | null;
  readonly durationMs: number | null;
}

/** In milliseconds of some clock; null where a run is played again, and for what has not happened. */
export type Moment = number | null;

interface Compacted {
  readonly tokensBefore: number;
  readonly tokensAfter: number;
}

/** What goes on now. */
export type Activity = { readonly since: Moment } & (
  | { readonly type: 'thinking' | 'writing' }
  | { readonly type: 'tool' | 'approval'; readonly tool: string }
  | { readonly type: 'question'; readonly question: InputRequest }
  | { readonly type: 'retry'; readonly error: StepError; readonly retryInMs: number }
);

/** What the view of a run is made from, in the order in which it happened: live, or played again. */
export type RunInput = { readonly at: Moment } & (
  | { readonly type: 'event'; readonly event: RunEvent }
  | { readonly type: 'request'; readonly request: StepRequestInput }
);

/** Before anything has happened. `inherited` are the steps of the run that this one left. */
export const emptyRun = (inherited: readonly StepView[] = []): RunView => ({
  task: '',
  model: '',
  tools: [],
  maxSteps: 0,
  iterationsLeft: 0,
  steps: inherited,
  inherited: inherited.length,
  tasks: inherited.at(-1)?.tasks ?? [],
  activity: null,
  result: null,
});
