import type { StepRequest } from '../../src/contract/step-request.js';
import type { Message, ModelProfile } from '../../src/service/step/provider.js';
import { preparePrompt } from '../../src/service/step/react-step.js';
import type { RenderedPrompt } from '../../src/service/step/render-prompt.js';
import type { During } from '../../src/service/step/step-dependencies.js';
import { createTokenCounter, type TokenCounter } from '../../src/tokens/token-counter.js';

/** Tokens that OpenAI's chat format adds: four for each message, one of them for the role, and three for the reply. */
export const framing = { prompt: 3, message: 4 };

export const profile: ModelProfile = {
  contextWindow: null,
  encoding: 'o200k_base',
  countMargin: 1,
  framing,
  nativeTools: 'good',
  structured: 'none',
  needsExample: false,
};

const exactTokens = createTokenCounter('o200k_base');
const deadline = { signal: new AbortController().signal, remainingMs: () => 60_000 };

/** Runs the work of each stage without recording a span. */
export const untraced: During = (_, work) => work();

/** Prepares the prompt of a step with the real token counter. Inline context is the only source of context. */
export async function prepare(
  request: StepRequest,
  { tokens = exactTokens, ...asked }: Partial<ModelProfile> & { readonly tokens?: TokenCounter } = {},
): Promise<RenderedPrompt> {
  const dependencies = { sources: [], profile: { ...profile, ...asked }, tokens, deadline, during: untraced };
  return preparePrompt(request, dependencies);
}

/** Returns the text of a message as the model reads it. */
export function textOf({ parts }: Message): string {
  return parts.map((part) => ('text' in part ? part.text : JSON.stringify(part))).join('');
}
