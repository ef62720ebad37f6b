import type { StepRequest } from '../../contract/step-request.js';
import { complete } from './complete.js';
import { conclude } from './conclude.js';
import { preparePrompt } from './prepare-prompt.js';
import { readReply } from './read-reply.js';
import type { StepDependencies, StepObserver } from './step-dependencies.js';
import { exhausted, type StepResult, toResult } from './to-result.js';

export type { StepObserver, StepResult };

/** One step (SPEC §4): one prompt, one completion, one conclusion. Throws `StepRefused`, `ProviderError` or `Interruption`. */
export async function reactStep(
  request: StepRequest,
  dependencies: StepDependencies,
  observer?: StepObserver,
): Promise<StepResult> {
  if (request.max_iterations_left === 0) return exhausted(request);
  const prepared = await preparePrompt(request, dependencies);
  await observer?.contextBuilt(prepared.report);
  const completion = await complete(request, prepared, { ...dependencies, observer });
  const reply = readReply(completion, prepared.situation.offered);
  const conclusion = conclude({ request, situation: prepared.situation, completion, reply });
  const result = toResult({
    request,
    prepared,
    completion,
    reply,
    conclusion,
    provider: dependencies.provider.name,
  });
  if (result.action_details) await observer?.actionProposed(result.action_details);
  return result;
}
