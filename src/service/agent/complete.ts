import type { StepRequest } from '../../contract/step-request.js';
import { outputLimit } from './plan-budget.js';
import type { PreparedPrompt } from './prepare-prompt.js';
import type { Completion, CompletionRequest } from './provider.js';
import type { StepDependencies } from './step-dependencies.js';

/** The one model call of a step. */
export function complete(
  request: StepRequest,
  prepared: PreparedPrompt,
  { provider, patience }: Pick<StepDependencies, 'provider' | 'patience'>,
): Promise<Completion> {
  return provider.complete(toCompletionRequest(request, prepared), patience);
}

function toCompletionRequest(
  { llm_config: config, session_id, phase }: StepRequest,
  prepared: PreparedPrompt,
): CompletionRequest {
  const { situation, prompt } = prepared;
  const mayAct = !situation.mustAnswer && (phase ?? 'act') === 'act';
  return {
    model: config.modelName,
    prompt,
    maxOutputTokens: outputLimit(config),
    temperature: config.temperature,
    seed: config.seed,
    reasoningEffort: config.reasoningEffort,
    cacheKey: session_id,
    ...(situation.protocol === 'native' && {
      nativeTools: { definitions: situation.tools, choice: mayAct ? 'auto' : 'none' },
    }),
  };
}
