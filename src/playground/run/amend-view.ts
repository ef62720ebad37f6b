import type { ActionView, ModelCallView, RunView, StepView } from './run-view.js';

type Amend<View> = (view: View) => Partial<View>;

/** Changes the newest step, which is begun if it is not there; everything else stays the very same object. */
export function amendStep(view: RunView, amend: Amend<StepView>, number?: number): RunView {
  const { steps } = number === undefined ? view : beginStep(view, number);
  const last = steps.at(-1);
  return last ? { ...view, steps: [...steps.slice(0, -1), { ...last, ...amend(last) }] } : view;
}

/** Changes the newest model call. */
export const amendCall = (view: RunView, amend: Amend<ModelCallView>): RunView =>
  amendStep(view, ({ calls }) => {
    const last = calls.at(-1);
    return last ? { calls: [...calls.slice(0, -1), { ...last, ...amend(last) }] } : {};
  });

/** Changes an action of the newest step. */
export const amendAction = (view: RunView, id: string, amend: Amend<ActionView>): RunView =>
  amendStep(view, ({ actions }) => ({
    actions: actions.map((action) => (action.id === id ? { ...action, ...amend(action) } : action)),
  }));

/** A new model call, in a new step unless that has begun: the strict strategy makes several in one. */
export const beginCall = (view: RunView, number: number, phase: ModelCallView['phase']): RunView =>
  amendStep(view, ({ calls }) => ({ calls: [...calls, blankCall(phase)] }), number);

function beginStep(view: RunView, number: number): RunView {
  if (view.steps.length >= view.inherited + number) return view;
  const blank = { calls: [], actions: [], tasks: view.tasks, compactions: [] };
  return { ...view, steps: [...view.steps, { number: view.steps.length + 1, ...blank }] };
}

const blankCall = (phase: ModelCallView['phase']): ModelCallView => ({
  phase,
  request: null,
  response: null,
  thought: '',
  answer: '',
  failures: [],
  isAbandoned: false,
  startedAt: null,
  endedAt: null,
});
