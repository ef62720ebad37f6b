import type { Step } from '../../contract/step.js';
import { performActions } from './perform-actions.js';
import { outOfSteps, type RunEnd, stopped } from './run-end.js';
import type { StrategyName } from './run-options.js';
import type { RunState } from './run-state.js';
import { type TakenStep, takeStep } from './take-step.js';

/** The strategies of a run by name (rule: strategies). */
export const strategies = {
  react,
  'reason-act-observe': reasonActObserve,
} as const satisfies Record<StrategyName, (run: RunState) => Promise<RunEnd>>;

/** Takes steps of one thought with its actions and observations until the model answers (Yao et al. 2022, arXiv:2210.03629). */
function react(run: RunState): Promise<RunEnd> {
  return stepByStep(run, async () => (await takeStep(run, { phase: null })).end);
}

/**
 * Makes one model call each for the phases reason, act and observe (rule: phases). Only `observe` uses up an iteration. If
 * the model reports in `reason` that it has finished, skips `act` and requests the answer in `observe`.
 */
function reasonActObserve(run: RunState): Promise<RunEnd> {
  return stepByStep(run, () => takeRound(run));
}

async function stepByStep(run: RunState, take: () => Promise<RunEnd | undefined>): Promise<RunEnd> {
  for (;;) {
    const foreseen = run.service.foresee?.(run.stepNumber + 1);
    run.iterationsLeft = Math.max(run.iterationsLeft, foreseen?.iterationsLeft ?? 0);
    if (run.iterationsLeft <= 0) return outOfSteps();
    if (foreseen?.hasBegun === false) return stopped;
    run.beginStep();
    const end = await take();
    if (end) return end;
  }
}

async function takeRound(run: RunState): Promise<RunEnd | undefined> {
  const reason = await takePhase(run, 'reason');
  if (reason.end) return reason.end;
  const finish = reason.response.control?.finish === true;
  const act = finish ? undefined : await takePhase(run, 'act');
  if (act?.end) return act.end;
  const observe = await takeStep(run, { phase: 'observe', ...(finish && { lastCall: true }) });
  return observe.end;
}

/**
 * Performs the actions of a step that waited for approval. In the strategy `reason-act-observe`, then requests the
 * phase `observe`, with which the round ends.
 */
export async function finishStep(run: RunState, response: Step): Promise<RunEnd | undefined> {
  run.phase = response.phase;
  const end = await performActions(run, response);
  if (end || response.phase !== 'act') return end;
  return (await takeStep(run, { phase: 'observe' })).end;
}

/**
 * Requests a phase that uses up no iteration. Repeats it while its reply is unusable, since `observe` must not
 * judge an action that never ran.
 */
async function takePhase(run: RunState, phase: 'reason' | 'act'): Promise<TakenStep> {
  for (;;) {
    const taken = await takeStep(run, { phase });
    if (taken.end || !taken.isUnusable) return taken;
  }
}
