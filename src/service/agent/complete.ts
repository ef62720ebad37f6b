import type { StepRequest } from '../../contract/step-request.js';
import { IncrementalParser, type ParseDelta } from '../parsing/incremental.js';
import { proseOnly } from './phases.js';
import { outputLimit } from './plan-budget.js';
import type { PreparedPrompt } from './prepare-prompt.js';
import type { Completion, CompletionRequest } from './provider.js';
import type { StepObserver } from './react-step.js';
import type { StepDependencies } from './step-dependencies.js';
import { withoutNul } from './without-nul.js';

interface Call extends Pick<StepDependencies, 'provider' | 'patience'> {
  readonly observer: StepObserver | undefined;
}

/** The one model call of a step: whole, or in pieces where somebody watches. */
export async function complete(
  request: StepRequest,
  prepared: PreparedPrompt,
  { provider, patience, observer }: Call,
): Promise<Completion> {
  const completionRequest = toCompletionRequest(request, prepared);
  if (!observer) return withoutNul(await provider.complete(completionRequest, patience));
  const parser = new IncrementalParser(prepared.situation.offered);
  const show =
    request.phase === 'reason' || request.phase === 'observe' ? proseOnly() : (delta: string) => delta;
  const tell = async (deltas: readonly ParseDelta[]) => {
    for (const { type, delta } of deltas) {
      const shown = show(delta);
      if (shown !== '') await observer.delta(type, shown);
    }
  };
  for await (const event of provider.stream(completionRequest, patience)) {
    if (event.type === 'completion') {
      const { finishReason } = event.completion;
      await tell(parser.end({ finishReason }).deltas);
      return withoutNul(event.completion);
    }
    if (event.type === 'reasoning') await observer.delta('reasoning', withoutNul(event.delta));
    else await tell(parser.push(withoutNul(event.delta)));
  }
  throw new Error('A provider stream ended without its completion.'); // the port promises one
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
