import type {
  ActionView,
  Activity,
  ModelCallView,
  RunEvent,
  RunResult,
  RunView,
  Step,
  StepView,
  ToolArguments,
} from 'stepwise';
import type { ConversationView, EndView, ShownAction, ShownStep } from './conversation-view.js';
import { explainFailure, timeOf } from './explain-failure.js';
import { readReport } from './read-report.js';

/** Longer texts are cut for the page; the run keeps them whole. */
const MAX_SHOWN_CHARS = 60_000;
const MAX_BRIEF_CHARS = 80;

/** Adds a card for a new task; the task's first step fills it. */
export const beginTask = (view: ConversationView, task: string): ConversationView => ({
  ...view,
  status: 'running',
  activity: 'Starting',
  end: null,
  steps: [...view.steps, { ...blankStep(view.steps.length + 1), task: clip(task) }],
});

/** Brings the page up to date with the run after an event; the steps before the newest stay the same objects. */
export function showRun(view: ConversationView, event: RunEvent, run: RunView): ConversationView {
  const { iterationsLeft, maxSteps, tasks, report, usage, result } = run;
  const isReported = event.type === 'agent_reason' && event.response.context_report;
  return {
    steps: showSteps(view.steps, event, run),
    status: result ? 'ended' : 'running',
    activity: result ? '' : activityOf(run),
    iterationsLeft,
    maxSteps,
    tasks,
    usage: {
      input: usage.input_tokens ?? 0,
      cached: usage.cached_input_tokens ?? 0,
      output: usage.output_tokens ?? 0,
    },
    budget: isReported && report ? readReport(report) : view.budget,
    end: result && endOf(result),
  };
}

function showSteps(
  steps: readonly ShownStep[],
  event: RunEvent,
  { steps: taken, inherited, result }: RunView,
): readonly ShownStep[] {
  const begun = event.type === 'agent_turn_start' ? beginStep(steps) : steps;
  const last = begun.at(-1);
  if (!last) return begun;
  // While a step has only compacted the history, it has no card yet; its remark is added to the previous card.
  const step = taken.slice(inherited).at(-1);
  const shown = step && step.calls.length > 0 ? showStep(step, result) : {};
  return [...begun.slice(0, -1), { ...last, ...shown, remarks: [...last.remarks, ...remarksOn(event)] }];
}

/**
 * Adds a card for a step. Reuses the last card if it is still empty: that of a new task, or of a step with an unusable
 * reply.
 */
function beginStep(steps: readonly ShownStep[]): readonly ShownStep[] {
  const last = steps.at(-1);
  const isBlank = last?.thought === '' && last.answer === '' && last.actions.length === 0;
  return isBlank ? steps : [...steps, blankStep(steps.length + 1)];
}

const blankStep = (number: number): ShownStep => ({
  number,
  task: null,
  thought: '',
  answer: '',
  actions: [],
  remarks: [],
});

function showStep({ calls, actions }: StepView, result: RunView['result']): Partial<ShownStep> {
  const { draft = '', thought = '', answer = '' } = calls.at(-1) ?? {};
  const answered = result?.stopReason === 'answered' ? (result.answer ?? '') : '';
  return {
    // Most drafts become the thought, so the view shows a draft as the thought until the response gives its role.
    thought: clip(draft + thought),
    answer: clip(answer || answered),
    actions: actions.map(showAction),
  };
}

const showAction = (action: ActionView): ShownAction => ({
  id: action.id,
  tool: action.tool,
  args: clip(JSON.stringify(action.args, null, 2)),
  brief: briefOf(action.args),
  state: action.state === 'skipped' || action.state === 'stopped' ? 'not run' : action.state,
  result: action.result === null ? action.output : clip(action.result),
});

const activityOf = ({ activity, steps }: RunView): string =>
  activity ? activityInWords(activity, steps.at(-1)?.calls.at(-1)) : 'Starting';

function activityInWords(activity: Activity, call: ModelCallView | undefined): string {
  switch (activity.type) {
    case 'thinking':
      return call?.failures.some(({ retryInMs }) => retryInMs !== null) ? 'Trying again' : 'Thinking';
    case 'writing':
      return 'Writing';
    case 'retry':
      return 'Trying again';
    case 'tool':
      return `Running ${activity.tool}`;
    case 'approval':
      return `${activity.tool} waits for you`;
    case 'question':
      return 'Waits for your answer';
  }
}

/** Returns the notable facts of an event for people. */
function remarksOn(event: RunEvent): readonly string[] {
  switch (event.type) {
    case 'context_compacted':
      return [`The history was shortened from ${event.tokensBefore} to ${event.tokensAfter} tokens.`];
    case 'agent_error':
      return event.retryInMs === null
        ? []
        : [`${explainFailure(event.error).sentence} Retrying in ${timeOf(event.retryInMs)}.`];
    case 'agent_reason':
      return warningsOf(event.response);
    default:
      return [];
  }
}

/** Reads the service's warnings. Other versions of the service may omit fields that the SDK does not need. */
const warningsOf = ({ warnings, parse }: Partial<Step>): readonly string[] =>
  (warnings ?? []).map(({ code, message }) =>
    code === 'unreadable_action'
      ? `The model’s call could not be read, and the model is asked to correct it: ${parse?.problem ?? 'it names no known tool'}.`
      : message,
  );

const sentences: Readonly<Record<RunResult['stopReason'], string>> = {
  answered: 'Answered.',
  denied: 'Answered after a rejection.',
  step_limit: 'All steps are used up. Ask again to continue, or raise stepwise.maxSteps.',
  stopped: 'Stopped. What was done so far is kept; ask again to continue.',
  needs_approval: 'The run waits for approval.',
  needs_input: 'The model waits for an answer: write it as the next task.',
  error: 'The run ended with an error.',
};

/** Returns how a run ended, in words, and the command that helps after a failure. */
export function endOf({ stopReason, error }: Pick<RunResult, 'stopReason' | 'error'>): EndView {
  const { sentence, remedy } = error
    ? explainFailure(error)
    : { sentence: sentences[stopReason], remedy: null };
  return { reason: stopReason, sentence, remedy };
}

function briefOf(args: ToolArguments): string {
  const [first = ''] = Object.values(args);
  const text = typeof first === 'string' ? first : JSON.stringify(first);
  return text.slice(0, MAX_BRIEF_CHARS);
}

const clip = (text: string): string =>
  text.length > MAX_SHOWN_CHARS ? `${text.slice(0, MAX_SHOWN_CHARS)}\n… (cut for the view)` : text;
