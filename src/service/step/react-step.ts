import type { StepRequest } from '../../contract/step-request.js';
import { gatherContext } from '../context/gather-context.js';
import { type PromptReport, reportPrompt } from './budget/report-context.js';
import { complete } from './complete.js';
import { conclude } from './conclude.js';
import { fitToBudget } from './fit-to-budget.js';
import { type Received, readReply } from './read-reply.js';
import { readSituation } from './read-situation.js';
import { type RenderedPrompt, renderPrompt } from './render-prompt.js';
import type { PromptDependencies, StepDependencies, StepObserver } from './step-dependencies.js';
import {
  exhausted,
  type PreviewResult,
  type SentStep,
  type StepResult,
  toPreview,
  toResult,
  toSentStep,
} from './to-result.js';

export type { StepObserver, StepResult };

/** One step: one prompt, one completion, one conclusion. Throws `StepRefused`, `ProviderError` or `Interruption`. */
export async function reactStep(
  request: StepRequest,
  dependencies: StepDependencies,
  observer?: StepObserver,
): Promise<StepResult> {
  if (request.max_iterations_left === 0) return exhausted(request);
  const prompt = await preparePrompt(request, dependencies);
  const told = observer && (await tell(observer, prompt, dependencies));
  const received = complete(prompt, dependencies, observer);
  const reported = told ?? reportMeanwhile(prompt, dependencies);
  return concludeStep(bothOf(received, reported), toSentStep(prompt, dependencies), observer);
}

/** Who watches a step is told what the model sees before it says anything. */
async function tell(
  observer: StepObserver,
  prompt: RenderedPrompt,
  dependencies: PromptDependencies,
): Promise<PromptReport> {
  const reported = await report(prompt, dependencies);
  await observer.contextBuilt(reported.report);
  return reported;
}

/** What no choice hung on is counted while the model thinks (rule: counted-meanwhile). */
async function reportMeanwhile(
  prompt: RenderedPrompt,
  dependencies: PromptDependencies,
): Promise<PromptReport> {
  await onItsWay();
  return report(prompt, dependencies);
}

/** What the model said, and what it was asked with: nothing of a step goes on once it has ended. */
async function bothOf(
  received: Promise<Received>,
  reported: PromptReport | Promise<PromptReport>,
): Promise<[Received, PromptReport]> {
  await Promise.allSettled([received, reported]);
  return [await received, await reported];
}

/**
 * Resolves when a request that was made in this turn is written, if it is written to a connection that is open: undici looks
 * for one turn whether that has been closed meanwhile.
 */
const onItsWay = (): Promise<void> =>
  new Promise((resolve) => setImmediate(() => setImmediate(() => resolve())));

const report = (prompt: RenderedPrompt, { during }: PromptDependencies): Promise<PromptReport> =>
  during('report_prompt', () => reportPrompt(prompt));

/** The rest of a step: while it waits for the model it holds nothing of what was sent (rule: lean-waiting). */
async function concludeStep(
  awaited: Promise<[Received, PromptReport]>,
  step: SentStep,
  observer: StepObserver | undefined,
): Promise<StepResult> {
  const { situation, during } = step;
  const [received, reported] = await awaited;
  const reply = await during('read_reply', () => readReply(received, situation));
  const conclusion = await during('conclude', () => conclude(reply, situation));
  const result = toResult(conclusion, step, reported);
  if (result.action_details) await observer?.actionProposed(result.action_details);
  return result;
}

/** What a step would send: no model call, no key. Throws `StepRefused` or `Interruption`. */
export async function previewStep(
  request: StepRequest,
  dependencies: PromptDependencies,
): Promise<PreviewResult> {
  const prompt = await preparePrompt(request, dependencies);
  return toPreview(prompt, await report(prompt, dependencies));
}

/** All of a step but the model call. Throws as `previewStep` does. */
export async function preparePrompt(
  request: StepRequest,
  dependencies: PromptDependencies,
): Promise<RenderedPrompt> {
  const { profile, sources, during } = dependencies;
  const { signal } = dependencies.deadline;
  const situation = await during('read_situation', () => readSituation(request, profile, signal));
  const gathered = await during('gather_context', () => gatherContext(request, sources, signal));
  const fitted = await during('fit_to_budget', () => fitToBudget(situation, gathered, dependencies));
  return during('render_prompt', () => renderPrompt(fitted));
}
