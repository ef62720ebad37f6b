import { outOfSteps, type RunEnd } from './run-end.js';
import type { StrategyName } from './run-options.js';
import type { RunState } from './run-state.js';
import { takeStep } from './take-step.js';

/** How a run's steps follow one another (rule: strategies). */
export const strategies = {
  react,
  'reason-act-observe': reasonActObserve,
} as const satisfies Record<StrategyName, (run: RunState) => Promise<RunEnd>>;

/** Thought, action and observation in one step each, until an answer (Yao et al. 2022, arXiv:2210.03629). */
async function react(run: RunState): Promise<RunEnd> {
  while (run.iterationsLeft > 0) {
    run.beginStep();
    const { end } = await takeStep(run, { phase: null });
    if (end) return end;
  }
  return outOfSteps();
}

/**
 * One model call each for reason, act and observe (rule: phases). Only `observe` spends an iteration. Where the
 * model says in `reason` that it is done, `act` is skipped and `observe` asked for the answer.
 */
async function reasonActObserve(run: RunState): Promise<RunEnd> {
  while (run.iterationsLeft > 0) {
    run.beginStep();
    const end = await takeRound(run);
    if (end) return end;
  }
  return outOfSteps();
}

async function takeRound(run: RunState): Promise<RunEnd | undefined> {
  const reason = await takeStep(run, { phase: 'reason' });
  if (reason.end) return reason.end;
  const finish = reason.response.control?.finish === true;
  const act = finish ? undefined : await takeStep(run, { phase: 'act' });
  if (act?.end) return act.end;
  const observe = await takeStep(run, { phase: 'observe', ...(finish && { lastCall: true }) });
  return observe.end;
}
