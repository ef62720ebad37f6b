import type { Step } from '../../contract/step.js';
import { sumUsage } from '../../conversation/usage.js';
import { type ToolEvent, toToolEvent } from '../base/tool-event.js';
import type { RunEvent } from '../run/run-events.js';
import type { RunResult } from '../run/run-result.js';
import { amendAction, amendCall, amendStep, beginCall, beginStep, noTexts } from './amend-view.js';
import {
  type ActionView,
  type Activity,
  MAX_OUTPUT_CHARS,
  type Moment,
  type RequestSent,
  type RunView,
} from './run-view.js';

/**
 * Returns the state of the run after one more event. Start with `emptyRun()`. Pure: the given view stays as it is, and
 * a step never changes once the next one has begun. A view may take the events of several runs, one after the other:
 * the steps of earlier runs stay, and `inherited` counts them.
 *
 * @param event An event of the run, or a request as `onRequest` reports it.
 * @param at The time of the event in milliseconds of any clock; without it, nothing in the view has a time.
 */
export function reduceRun(view: RunView, event: RunEvent | RequestSent, at: Moment = null): RunView {
  // Cast: each reducer of the table accepts exactly the events of its type, which the compiler cannot infer.
  const reduce = reducers[event.type] as Reducer<ViewEvent['type']>;
  return reduce(view, event, at);
}

type ViewEvent = RunEvent | RequestSent;

/** The event with the given type. Some members of the union have several types. */
type EventOf<Type, Event = ViewEvent> = Event extends { readonly type: infer Own }
  ? Type extends Own
    ? Event
    : never
  : never;

type Reducer<Type extends ViewEvent['type']> = (view: RunView, event: EventOf<Type>, at: Moment) => RunView;

const reducers: { readonly [Type in ViewEvent['type']]: Reducer<Type> } = {
  // A resumed run begins with the number of the step that waited for approval: that step belongs to the resumed
  // run.
  agent_start: (view, { task, model, tools, maxSteps, step }) => ({
    ...view,
    task,
    model,
    tools,
    maxSteps,
    iterationsLeft: maxSteps,
    inherited: Math.max(0, view.steps.length - step),
    result: null,
  }),
  agent_turn_start: (view, { phase, iterationsLeft, step }, at) =>
    withActivity(beginCall({ ...beginStep(view, step), iterationsLeft }, phase), {
      type: 'thinking',
      since: at,
    }),
  // All attempts count as one call, which began with the first attempt.
  request_sent: (view, { request }, at) =>
    withActivity(
      amendCall(view, ({ startedAt }) => ({
        ...noTexts,
        request,
        startedAt: startedAt ?? at,
        endedAt: null,
      })),
      { type: 'thinking', since: at },
    ),
  draft_delta: (view, { delta }, at) => wrote(view, { part: 'draft', delta }, at),
  thought_delta: (view, { delta }, at) => wrote(view, { part: 'thought', delta }, at),
  answer_delta: (view, { delta }, at) => wrote(view, { part: 'answer', delta }, at),
  agent_reason: (view, { response }, at) => responded(view, response, at),
  approval_requested: (view, { request }, at) =>
    withActivity(
      amendAction(view, request.action.id, () => ({
        state: 'asked',
        approval: { request, decision: 'pending' },
      })),
      { type: 'approval', tool: request.action.tool_name, since: at },
    ),
  tool_start: (view, { id, toolName, toolArgs }, at) =>
    withActivity(
      amendAction(withAction(view, { id, toolName, toolArgs }), id, (action) => ({
        ...decided(action, 'allowed'),
        state: 'running',
        args: toolArgs,
      })),
      { type: 'tool', tool: toolName, since: at },
    ),
  tool_output: (view, { id, delta }) =>
    amendAction(view, id, ({ output }) => ({ output: (output + delta).slice(-MAX_OUTPUT_CHARS) })),
  tool_complete: (view, { id, observation, durationMs }, at) =>
    amendAction(view, id, (action) => ({
      ...answered(action, 'answered'),
      ...settled('done', observation),
      durationMs: at === null ? null : durationMs,
    })),
  tool_error: (view, { id, error, denied, durationMs }, at) =>
    amendAction(view, id, (action) => ({
      ...decided(action, denied ? 'denied' : 'allowed'),
      ...answered(action, 'none'),
      ...settled(denied ? 'denied' : 'failed', error),
      durationMs: at === null || denied ? null : durationMs,
    })),
  agent_observe: (view, { observations, response }, at) => {
    const observed = observations.reduce(
      (after, { toolCallId, content }) =>
        amendAction(after, toolCallId ?? '', (action) => ({
          ...decided(action, 'none'),
          observation: content,
          state: action.state === 'proposed' || action.state === 'asked' ? 'skipped' : action.state,
        })),
      view,
    );
    return response ? responded(observed, response, at) : observed;
  },
  tasks_updated: (view, { tasks }) => amendStep({ ...view, tasks }, () => ({ tasks })),
  agent_request_input: (view, { step: _step, type: _type, ...question }, at) =>
    withActivity(
      amendAction(view, question.callId, () => ({ question: { request: question, state: 'pending' } })),
      { type: 'question', question, since: at },
    ),
  agent_request_input_timeout: (view, { callId }, at) =>
    withActivity(
      amendAction(view, callId, (action) => answered(action, 'timed_out')),
      { type: 'thinking', since: at },
    ),
  context_compacted: (view, { tokensBefore, tokensAfter, step }) =>
    amendStep(beginStep(view, step), ({ compactions }) => ({
      compactions: [...compactions, { tokensBefore, tokensAfter }],
    })),
  agent_error: (view, { error, retryInMs }, at) => {
    const failed = amendCall(view, ({ failures, response, endedAt }) => ({
      // An error after the response of the service is a failure of the run, not of the model call.
      failures: response ? failures : [...failures, { error, retryInMs }],
      isStale: retryInMs !== null,
      endedAt: endedAt ?? at,
    }));
    return retryInMs === null ? failed : withActivity(failed, { type: 'retry', error, retryInMs, since: at });
  },
  agent_stopped: (view, { result }, at) => ended(view, result, at),
  agent_completion: (view, { result }, at) => ended(view, result, at),
};

const withActivity = (view: RunView, activity: Activity): RunView => ({ ...view, activity });

interface Written {
  readonly part: 'draft' | 'thought' | 'answer';
  readonly delta: string;
}

/** Appends a delta. Drops white space before the first visible character, and the text of a failed attempt. */
function wrote(view: RunView, { part, delta }: Written, at: Moment): RunView {
  const writes = part === 'answer' && view.activity?.type !== 'writing';
  return amendCall(writes ? withActivity(view, { type: 'writing', since: at }) : view, (call) => {
    const before = call.isStale ? '' : call[part];
    const text = before === '' && delta.trim() === '' ? '' : before + delta;
    return { ...(call.isStale && noTexts), [part]: text };
  });
}

/**
 * Ends the run and everything in progress. Calls that did not run get their observation from the final history; those of a step
 * that waits for approval stay open, because a resumed run goes on with them.
 */
function ended(view: RunView, result: RunResult, at: Moment): RunView {
  const observations = new Map(result.history.map(({ toolCallId, content }) => [toolCallId, content]));
  const closed = amendCall({ ...view, activity: null, result, tasks: result.tasks }, (call) =>
    call.response ? {} : { isAbandoned: true, endedAt: call.endedAt ?? at },
  );
  return amendStep(closed, ({ actions }) => ({
    actions: actions.map((action) => {
      const end = unfinished[action.state];
      if (!end || result.stopReason === 'needs_approval') return action;
      const observation = observations.get(action.id) ?? null;
      return { ...action, ...decided(action, 'none'), ...answered(action, 'none'), state: end, observation };
    }),
  }));
}

const unfinished: { readonly [State in ActionView['state']]?: ActionView['state'] } = {
  proposed: 'skipped',
  asked: 'skipped',
  running: 'stopped',
};

function responded(view: RunView, response: Step, at: Moment): RunView {
  const { thought, direct_response, error, reasoning, context_report, usage } = response;
  const counted = {
    ...view,
    iterationsLeft: response.iterations_remaining,
    report: context_report ?? view.report,
    usage: usage ? sumUsage(view.usage, usage) : view.usage,
  };
  const amended = amendCall(counted, ({ failures }) => ({
    ...noTexts,
    response,
    thought: thought ?? '',
    answer: direct_response ?? partialText(response),
    reasoning: reasoning ?? '',
    failures: error ? [...failures, { error, retryInMs: null }] : failures,
    endedAt: at,
  }));
  const proposed = callsOf(response).map(toActionView);
  return proposed.length === 0
    ? amended
    : amendStep(amended, ({ actions }) => ({ actions: [...actions, ...proposed] }));
}

/** Returns the text of a failed reply; empty if it is the thought alone, as that of a refusal without words. */
const partialText = ({ thought, error }: Step): string =>
  error?.partial_text && error.partial_text !== thought ? error.partial_text : '';

const callsOf = ({ action_details, additional_actions }: Step): readonly ToolEvent[] =>
  [action_details, ...additional_actions].flatMap((action) => (action ? toToolEvent(action) : []));

/** Adds a tool call to the newest step unless the reply of the step already did. */
const withAction = (view: RunView, call: ToolEvent): RunView =>
  amendStep(view, ({ actions }) =>
    actions.some(({ id }) => id === call.id) ? {} : { actions: [...actions, toActionView(call)] },
  );

const toActionView = ({ id, toolName, toolArgs }: ToolEvent): ActionView => ({
  id,
  tool: toolName,
  args: toolArgs,
  state: 'proposed',
  approval: null,
  question: null,
  output: '',
  result: null,
  observation: null,
  durationMs: null,
});

const settled = (state: ActionView['state'], text: string) => ({ state, result: text, observation: text });

/** Records the decision about a call that waits for approval. */
const decided = (
  { approval }: ActionView,
  decision: 'allowed' | 'denied' | 'none',
): Pick<ActionView, 'approval'> => ({
  approval: approval?.decision === 'pending' ? { ...approval, decision } : approval,
});

/** Records the outcome of an open question. */
const answered = (
  { question }: ActionView,
  state: 'answered' | 'timed_out' | 'none',
): Pick<ActionView, 'question'> => ({
  question: question?.state === 'pending' ? { ...question, state } : question,
});
