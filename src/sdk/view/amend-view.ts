import type { ActionView, ModelCallView, RunView, StepView } from './run-view.js';

type Amend<View> = (view: View) => Partial<View>;

/** Changes the newest step, if there is one; all other steps stay the same objects. */
export function amendStep(view: RunView, amend: Amend<StepView>): RunView {
  const last = view.steps.at(-1);
  return last ? { ...view, steps: [...view.steps.slice(0, -1), { ...last, ...amend(last) }] } : view;
}

/** Changes the newest model call of the newest step. */
export const amendCall = (view: RunView, amend: Amend<ModelCallView>): RunView =>
  amendStep(view, ({ calls }) => {
    const last = calls.at(-1);
    return last ? { calls: [...calls.slice(0, -1), { ...last, ...amend(last) }] } : {};
  });

/** Changes a tool call of the newest step. */
export const amendAction = (view: RunView, id: string, amend: Amend<ActionView>): RunView =>
  amendStep(view, ({ actions }) => ({
    actions: actions.map((action) => (action.id === id ? { ...action, ...amend(action) } : action)),
  }));

/** Begins the step with this number, counted from the start of the current run, unless it has begun. */
export function beginStep(view: RunView, number: number): RunView {
  if (view.steps.length >= view.inherited + number) return view;
  const empty = { calls: [], actions: [], tasks: view.tasks, compactions: [] };
  return { ...view, steps: [...view.steps, { number: view.steps.length + 1, ...empty }] };
}

/** Begins a model call in the newest step. */
export const beginCall = (view: RunView, phase: ModelCallView['phase']): RunView =>
  amendStep(view, ({ calls }) => ({ calls: [...calls, emptyCall(phase)] }));

/** The texts of a model call before it has streamed anything. */
export const noTexts = { draft: '', thought: '', answer: '', isStale: false } as const;

const emptyCall = (phase: ModelCallView['phase']): ModelCallView => ({
  phase,
  request: null,
  response: null,
  ...noTexts,
  reasoning: '',
  failures: [],
  isAbandoned: false,
  startedAt: null,
  endedAt: null,
});
