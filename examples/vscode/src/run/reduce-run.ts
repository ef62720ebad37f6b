import type { ActionDetails, RunEvent, RunResult, Step, ToolArguments } from 'stepwise';
import { explainFailure, timeOf } from './explain-failure.js';
import { readReport } from './read-report.js';
import type { ActionView, EndView, RunView, StepView } from './run-view.js';

/** In characters: what is longer is shown cut, whole it stays in the run. */
const MAX_SHOWN_LENGTH = 60_000;

/** In characters. */
const MAX_BRIEF_LENGTH = 80;

type EventOf<Type, Event = RunEvent> = Event extends { readonly type: infer Own }
  ? Type extends Own
    ? Event
    : never
  : never;
type Reducer<Type extends RunEvent['type']> = (view: RunView, event: EventOf<Type>) => RunView;

/** The view after one more event of the run; the steps before the newest stay the same objects. */
export function reduceRun(view: RunView, event: RunEvent): RunView {
  // The table has a reducer for each type, which takes events of that very type.
  const reduce = reducers[event.type] as Reducer<RunEvent['type']> | undefined;
  return reduce ? reduce(view, event) : view;
}

/** A new task in the conversation; its first step carries its words. */
export const beginTask = (view: RunView, task: string): RunView => ({
  ...view,
  status: 'running',
  activity: 'Starting',
  end: null,
  steps: [...view.steps, { ...blankStep(view.steps.length + 1), task: clip(task) }],
});

const reducers: { readonly [Type in RunEvent['type']]?: Reducer<Type> } = {
  agent_start: (view, { max_steps }) => ({ ...view, maxSteps: max_steps, iterationsLeft: max_steps }),
  agent_turn_start: (view, { iterations_left }) => ({
    ...beginStep(view),
    iterationsLeft: iterations_left,
    activity: 'Thinking',
  }),
  draft_delta: (view, { delta }) => amendStep(view, (step) => ({ thought: clip(step.thought + delta) })),
  thought_delta: (view, { delta }) => amendStep(view, (step) => ({ thought: clip(step.thought + delta) })),
  answer_delta: (view, { delta }) =>
    amendStep({ ...view, activity: 'Writing' }, (step) => ({ answer: clip(step.answer + delta) })),
  agent_reason: (view, { response }) => responded(view, response),
  approval_requested: (view, { request: { action } }) =>
    amendAction({ ...view, activity: `${action.tool_name} waits for you` }, action.id, { state: 'asked' }),
  tool_start: (view, { id, tool_name, tool_args }) =>
    amendAction({ ...view, activity: `Running ${tool_name}` }, id, {
      state: 'running',
      args: textOf(tool_args),
      brief: briefOf(tool_args),
      result: '',
    }),
  tool_output: (view, { id, delta }) =>
    amendStep(view, ({ actions }) => ({
      actions: actions.map((each) =>
        each.id === id ? { ...each, result: clipStart(each.result + delta) } : each,
      ),
    })),
  tool_complete: (view, { id, observation }) =>
    amendAction(view, id, { state: 'done', result: clip(observation) }),
  tool_error: (view, { id, error, denied }) =>
    amendAction(view, id, { state: denied ? 'denied' : 'failed', result: clip(error) }),
  tasks_updated: (view, { tasks }) => ({ ...view, tasks }),
  agent_request_input: (view) => ({ ...view, activity: 'Waits for your answer' }),
  context_compacted: (view, { tokens_before, tokens_after }) =>
    remark(view, `The history was shortened from ${tokens_before} to ${tokens_after} tokens.`),
  agent_error: (view, { error, retry_in_ms }) => {
    if (retry_in_ms === null) return view;
    const again = `Tried again in ${timeOf(retry_in_ms)}.`;
    return remark({ ...view, activity: 'Trying again' }, `${explainFailure(error).sentence} ${again}`);
  },
  agent_stopped: (view, { result }) => endRun(view, result),
  agent_completion: (view, { result }) => endRun(view, result),
};

function responded(view: RunView, response: Step): RunView {
  const { usage, context_report, thought, direct_response, action_details, additional_actions } = response;
  const actions = [action_details, ...additional_actions].flatMap((action) =>
    action ? toAction(action) : [],
  );
  const counted = {
    ...view,
    iterationsLeft: response.iterations_remaining,
    budget: context_report ? readReport(context_report) : view.budget,
    usage: {
      input: view.usage.input + (usage?.input_tokens ?? 0),
      cached: view.usage.cached + (usage?.cached_input_tokens ?? 0),
      output: view.usage.output + (usage?.output_tokens ?? 0),
    },
  };
  const amended = amendStep(counted, (step) => ({
    thought: clip(thought ?? ''),
    answer: clip(direct_response ?? response.error?.partial_text ?? ''),
    actions: [...step.actions, ...actions],
  }));
  return remarksOn(response).reduce(remark, amended);
}

/** What the service would have the person notice. One of another version may leave out what the SDK does not build on. */
function remarksOn({ warnings, parse }: Partial<Step>): readonly string[] {
  return (warnings ?? []).map(({ code, message }) =>
    code === 'unreadable_action'
      ? `The model’s call could not be read, and it is told so: ${parse?.problem ?? 'it names no known tool'}.`
      : message,
  );
}

const toAction = ({ id, tool_name, tool_args }: ActionDetails): ActionView => ({
  id,
  tool: tool_name,
  args: textOf(tool_args),
  brief: briefOf(tool_args),
  state: 'proposed',
  result: '',
});

const isOver = ({ state }: ActionView): boolean => ['done', 'failed', 'denied'].includes(state);

/** The view of a run that has come to this; what was still to be done is told as not run. */
export function endRun(view: RunView, result: Omit<RunResult, 'summary'>): RunView {
  const closed = amendStep(view, ({ actions, answer }) => ({
    actions: actions.map((action) => (isOver(action) ? action : { ...action, state: 'not run' as const })),
    answer: answer || (result.stop_reason === 'answered' ? clip(result.answer) : ''),
  }));
  return { ...closed, status: 'ended', activity: '', end: endOf(result) };
}

const sentences: Readonly<Record<RunResult['stop_reason'], string>> = {
  answered: 'Answered.',
  denied: 'Answered after a rejection.',
  step_limit: 'All steps are used up. Ask again to go on, or raise stepwise.maxSteps.',
  stopped: 'Stopped. What was done so far is kept; ask again to go on.',
  needs_input: 'The model waits for an answer: write it as the next task.',
  error: 'The run ended with an error.',
};

function endOf({ stop_reason, error }: Pick<RunResult, 'stop_reason' | 'error'>): EndView {
  const { sentence, remedy } = error
    ? explainFailure(error)
    : { sentence: sentences[stop_reason], remedy: null };
  return { reason: stop_reason, sentence, remedy };
}

function beginStep(view: RunView): RunView {
  const last = view.steps.at(-1);
  const isFresh = last && last.thought === '' && last.answer === '' && last.actions.length === 0;
  return isFresh ? view : { ...view, steps: [...view.steps, blankStep(view.steps.length + 1)] };
}

const blankStep = (number: number): StepView => ({
  number,
  task: null,
  thought: '',
  answer: '',
  actions: [],
  remarks: [],
});

function amendStep(view: RunView, amend: (step: StepView) => Partial<StepView>): RunView {
  const last = view.steps.at(-1);
  return last ? { ...view, steps: [...view.steps.slice(0, -1), { ...last, ...amend(last) }] } : view;
}

const amendAction = (view: RunView, id: string, change: Partial<ActionView>): RunView =>
  amendStep(view, ({ actions }) => ({
    actions: actions.map((action) => (action.id === id ? { ...action, ...change } : action)),
  }));

const remark = (view: RunView, text: string): RunView =>
  amendStep(view, ({ remarks }) => ({ remarks: [...remarks, text] }));

const textOf = (args: unknown): string => clip(JSON.stringify(args, null, 2));

function briefOf(args: ToolArguments): string {
  const [first = ''] = Object.values(args);
  const text = typeof first === 'string' ? first : JSON.stringify(first);
  return text.slice(0, MAX_BRIEF_LENGTH);
}

const clip = (text: string): string =>
  text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH)}\n… (cut for the view)` : text;

/** Of what a tool says while it works, the end. */
const clipStart = (text: string): string => text.slice(-MAX_SHOWN_LENGTH);
