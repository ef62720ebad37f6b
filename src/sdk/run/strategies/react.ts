import { outOfSteps, type RunEnd } from '../run-end.js';
import type { RunState } from '../run-state.js';
import { takeStep } from '../take-step.js';

/** Thought, action and observation in one step each, until an answer (Yao et al. 2022, arXiv:2210.03629). */
export async function react(run: RunState): Promise<RunEnd> {
  while (run.iterationsLeft > 0) {
    run.beginStep();
    const { end } = await takeStep(run, { phase: null });
    if (end) return end;
  }
  return outOfSteps();
}
