import type { ActionDetails, RunEvent, RunResult, Step } from '../../sdk/index.js';
import { amendAction, amendCall, amendStep, beginCall } from './amend-view.js';
import type { ActionView, Activity, Moment, RunInput, RunView } from './run-view.js';

/** The events of a type; a member of the union may stand for two. */
type EventOf<Type, Event = RunEvent> = Event extends { readonly type: infer Own }
  ? Type extends Own
    ? Event
    : never
  : never;

/** What an event does to the view. */
type Reducer<Type extends RunEvent['type']> = (view: RunView, event: EventOf<Type>, at: Moment) => RunView;

/** The view after one more thing has happened. Live runs and saved ones that are played again come through here. */
export function reduceRun(view: RunView, input: RunInput): RunView {
  if (input.type === 'request') {
    const { request, at } = input;
    // Tried again it is still one call: what it took begins with the first try.
    const fresh = { request, thought: '', answer: '', endedAt: null };
    return doing(
      amendCall(view, ({ startedAt }) => ({ ...fresh, startedAt: startedAt ?? at })),
      { type: 'thinking', since: at },
    );
  }
  // The table has a reducer for each type, which takes events of that very type.
  const reduce = reducers[input.event.type] as Reducer<RunEvent['type']>;
  return reduce(view, input.event, input.at);
}

const reducers: { readonly [Type in RunEvent['type']]: Reducer<Type> } = {
  agent_start: (view, { task, model, tools, max_steps }) => ({
    ...view,
    task,
    model,
    tools,
    maxSteps: max_steps,
    iterationsLeft: max_steps,
  }),
  agent_turn_start: (view, { phase, iterations_left, step }, at) =>
    doing(
      { ...beginCall(view, step, phase), iterationsLeft: iterations_left },
      { type: 'thinking', since: at },
    ),
  /** Shown as thought until the response tells what it is. */
  draft_delta: (view, { delta }) => amendCall(view, ({ thought }) => ({ thought: thought + delta })),
  thought_delta: (view, { delta }) => amendCall(view, ({ thought }) => ({ thought: thought + delta })),
  answer_delta: (view, { delta }, at) =>
    amendCall(
      view.activity?.type === 'writing' ? view : doing(view, { type: 'writing', since: at }),
      (call) => ({
        answer: call.answer + delta,
      }),
    ),
  agent_reason: (view, { response }, at) => responded(view, response, at),
  approval_requested: (view, { request }, at) =>
    doing(
      amendAction(view, request.action.id, () => ({ state: 'asked', approval: request })),
      { type: 'approval', tool: request.action.tool_name, since: at },
    ),
  tool_start: (view, { id, tool_name, tool_args }, at) =>
    doing(
      amendAction(view, id, () => ({ state: 'running', args: tool_args })),
      { type: 'tool', tool: tool_name, since: at },
    ),
  tool_output: (view) => view,
  tool_complete: (view, { id, observation, duration_ms }, at) =>
    settled(view, id, { state: 'done', observation, durationMs: at === null ? null : duration_ms }),
  tool_error: (view, { id, error, denied, duration_ms }, at) =>
    settled(view, id, {
      state: denied ? 'denied' : 'failed',
      observation: error,
      durationMs: at === null || denied ? null : duration_ms,
    }),
  agent_observe: (view, { observations, response }, at) => {
    const observed = observations.reduce((after, { toolCallId, content }) => {
      const isOpen = (action: ActionView) => action.state === 'proposed' || action.state === 'asked';
      return amendAction(after, toolCallId ?? '', (action) => ({
        observation: content,
        state: isOpen(action) ? 'skipped' : action.state,
      }));
    }, view);
    return response ? responded(observed, response, at) : observed;
  },
  tasks_updated: (view, { tasks }) => amendStep({ ...view, tasks }, () => ({ tasks })),
  agent_request_input: (view, { step: _step, type: _type, ...question }, at) =>
    doing(
      amendAction(view, question.call_id, () => ({ state: 'asked' })),
      { type: 'question', question, since: at },
    ),
  agent_request_input_timeout: (view, { call_id }, at) =>
    doing(
      amendAction(view, call_id, () => ({ state: 'running' })),
      { type: 'thinking', since: at },
    ),
  context_compacted: (view, { tokens_before, tokens_after, step }) =>
    amendStep(
      view,
      ({ compactions }) => ({
        compactions: [...compactions, { tokensBefore: tokens_before, tokensAfter: tokens_after }],
      }),
      step,
    ),
  agent_error: (view, { error, retry_in_ms }, at) => {
    const failed = amendCall(view, ({ failures, response, endedAt }) => ({
      // After a response it is the run that failed, not the call.
      failures: response ? failures : [...failures, { error, retryInMs: retry_in_ms }],
      endedAt: endedAt ?? at,
    }));
    return retry_in_ms === null
      ? failed
      : doing(failed, { type: 'retry', error, retryInMs: retry_in_ms, since: at });
  },
  agent_stopped: (view, { result }, at) => ended(view, result, at),
  agent_completion: (view, { result }, at) => ended(view, result, at),
};

const doing = (view: RunView, activity: Activity): RunView => ({ ...view, activity });

/** What was on its way when the run ended has ended with it; the history has a word for each call that did not run. */
function ended(view: RunView, result: RunResult, at: Moment): RunView {
  const observations = new Map(result.history.map(({ toolCallId, content }) => [toolCallId, content]));
  const closed = amendCall({ ...view, activity: null, result, tasks: result.tasks }, (call) =>
    call.response ? {} : { isAbandoned: true, endedAt: call.endedAt ?? at },
  );
  return amendStep(closed, ({ actions }) => ({
    actions: actions.map((action) => {
      const end = unfinished[action.state];
      return end ? { ...action, state: end, observation: observations.get(action.id) ?? null } : action;
    }),
  }));
}

const unfinished: { readonly [State in ActionView['state']]?: ActionView['state'] } = {
  proposed: 'skipped',
  asked: 'skipped',
  running: 'stopped',
};

function responded(view: RunView, response: Step, at: Moment): RunView {
  const amended = amendCall({ ...view, iterationsLeft: response.iterations_remaining }, (call) => ({
    response,
    thought: response.thought ?? '',
    answer: response.direct_response ?? response.error?.partial_text ?? '',
    failures: response.error ? [...call.failures, { error: response.error, retryInMs: null }] : call.failures,
    endedAt: at,
  }));
  const proposed = [response.action_details, ...response.additional_actions].flatMap(
    (action) => action ?? [],
  );
  return proposed.length === 0
    ? amended
    : amendStep(amended, ({ actions }) => ({ actions: [...actions, ...proposed.map(toAction)] }));
}

const toAction = ({ id, tool_name, tool_args }: ActionDetails): ActionView => ({
  id,
  tool: tool_name,
  args: tool_args,
  state: 'proposed',
  approval: null,
  observation: null,
  durationMs: null,
});

type Settled = Pick<ActionView, 'state' | 'observation' | 'durationMs'>;

const settled = (view: RunView, id: string, end: Settled): RunView => amendAction(view, id, () => end);
