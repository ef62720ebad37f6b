import type { StepRequest } from '../../contract/step-request.js';
import { outputLimit } from './budget/plan-budget.js';
import type { CompletionRequest, Prompt } from './provider.js';

/** A prompt with the caller's model settings, without native tools. */
export function completionRequest(
  { llm_config: config, session_id }: Pick<StepRequest, 'llm_config' | 'session_id'>,
  prompt: Prompt,
): CompletionRequest {
  return {
    model: config.modelName,
    prompt,
    maxOutputTokens: outputLimit(config),
    temperature: config.temperature,
    seed: config.seed,
    reasoningEffort: config.reasoningEffort,
    cacheKey: session_id,
  };
}
