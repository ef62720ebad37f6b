import { yieldIfBusy } from '../../event-loop/yield-if-busy.js';
import { gatherContext } from '../context/gather-context.js';
import { callModel } from './call-model.js';
import { conclude } from './conclude.js';
import { fitToBudget } from './fit-to-budget.js';
import { readReply } from './read-reply.js';
import { readSituation, type StepInput } from './read-situation.js';
import { type RenderedPrompt, renderPrompt } from './render-prompt.js';
import type { PromptDependencies, StepDependencies, StepObserver } from './step-dependencies.js';
import { type PreviewResult, toPreview } from './to-preview.js';
import { exhausted, type SentStep, type StepResult, toResult } from './to-result.js';
import type { Received } from './types.js';

export type { StepInput, StepObserver, StepResult };

/**
 * Makes one step: one prompt, one model call, one conclusion. Without iterations left, returns an error result and
 * makes no model call (rule: iterations). Throws `StepRefused`, `ProviderError` or `Interruption`.
 */
export async function reactStep(
  request: StepInput,
  dependencies: StepDependencies,
  observer?: StepObserver,
): Promise<StepResult> {
  if (request.max_iterations_left === 0) return exhausted(request);
  const prompt = await preparePrompt(request, dependencies);
  await observer?.contextBuilt(prompt.report);
  const pending = callModel(prompt, dependencies, observer);
  const { situation, report, shouldCompact } = prompt;
  const { provider, now, during } = dependencies;
  return finishStep(pending, { situation, report, shouldCompact, provider, now, during }, observer);
}

/**
 * Returns the prompt that a step would send. Makes no model call and needs no key. Throws `StepRefused` or
 * `Interruption`.
 */
export async function previewStep(
  request: StepInput,
  dependencies: PromptDependencies,
): Promise<PreviewResult> {
  return toPreview(await preparePrompt(request, dependencies));
}

/** Runs the stages of a step before the model call. Throws as `previewStep` does. */
export async function preparePrompt(
  request: StepInput,
  dependencies: PromptDependencies,
): Promise<RenderedPrompt> {
  const { profile, sources, during } = dependencies;
  const { signal } = dependencies.deadline;
  const situation = await during('read_situation', () => readSituation(request, profile, signal));
  const gathered = await during('gather_context', () => gatherContext(request, sources, signal));
  const fitted = await during('fit_to_budget', () => fitToBudget(situation, gathered, dependencies));
  return during('render_prompt', () => renderPrompt(fitted));
}

/**
 * Runs the stages of a step after the model call. This is a function of its own whose parameters contain neither the
 * prompt nor the request, only its fields in `ReplySituation`, so both can be garbage-collected while the step waits
 * for the model (rule: lean-waiting).
 */
async function finishStep(
  pending: Promise<Received>,
  sent: SentStep & Pick<StepDependencies, 'during'>,
  observer: StepObserver | undefined,
): Promise<StepResult> {
  const { situation, during } = sent;
  const received = await pending;
  // Reading text beside a JSON object may block the event loop for some 100 ms, so other requests run first.
  await yieldIfBusy();
  const reply = await during('read_reply', () => readReply(received, situation));
  await yieldIfBusy();
  const conclusion = await during('conclude', () => conclude(reply, situation));
  const result = toResult(conclusion, sent);
  const proposed = result.action_details ? [result.action_details, ...result.additional_actions] : [];
  for (const action of proposed) await observer?.actionProposed(action);
  return result;
}
