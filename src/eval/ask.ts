import { StepwiseError } from '../sdk/base/stepwise-error.js';
import type { StepwiseClient } from '../sdk/client/stepwise-client.js';
import type { StepMaker } from '../service/step-maker.js';
import { readingOf, replyOf } from './eval-run.js';
import type { AskStep } from './evaluate.js';

/** Returns the API key for a model; undefined if it has none. */
export type KeyFor = (model: string, upstream: string | undefined) => string | undefined;

/**
 * Returns a function that repeats steps in this process. Steps of the compatible endpoints cannot be repeated
 * otherwise.
 */
export function askInProcess(maker: StepMaker, keyFor: KeyFor): AskStep {
  return async (request, _cell, signal) => {
    const { modelName, provider } = request.llm_config;
    const made = await maker.make(request, { key: keyFor(modelName, provider), signal });
    if ('error' in made) return made;
    const { step } = made;
    return { reply: replyOf(step), reading: readingOf(step.response), prompt: async () => step.prompt };
  };
}

type Client = Pick<StepwiseClient, 'step' | 'preview'>;

/** Returns a function that repeats steps at a running service. `connect` returns a client that sends the given key. */
export function askService(connect: (key: string | undefined) => Client, keyFor: KeyFor): AskStep {
  return async ({ terms, ...request }, _cell, signal) => {
    if (terms) return { skipped: 'recorded through /v1: only a service in this process can ask it again' };
    const { modelName, provider } = request.llm_config;
    const client = connect(keyFor(modelName, provider));
    try {
      const response = await client.step(request, { signal });
      if (response.error) return { error: response.error };
      const reply = {
        text: response.completion_text ?? '',
        calls: [],
        tools: request.tools ?? [],
        segment: request.available_tools_prompt_segment ?? '',
        response,
        hasAnswerSchema: Boolean(request.answer_schema),
        isPlain: false,
      };
      return { reply, reading: readingOf(response), prompt: () => client.preview(request, { signal }) };
    } catch (error) {
      if (error instanceof StepwiseError) return { error: error.toStepError() };
      throw error;
    }
  };
}
