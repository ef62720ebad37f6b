import type { ModelCallView, StepView, StepwiseClient } from '../../sdk/index.js';
import type { Branch } from '../run/branch.js';

/** A model call with its step and run. */
export interface Inspected {
  readonly client: StepwiseClient;
  readonly branch: Branch;
  readonly step: StepView;
  readonly call: ModelCallView;
}

/** Returns the previous model call, including those of steps that a branch kept. */
export function callBefore({ view }: Branch, call: ModelCallView): ModelCallView | undefined {
  const calls = view.steps.flatMap((step) => step.calls);
  const at = calls.indexOf(call);
  return at > 0 ? calls[at - 1] : undefined;
}
