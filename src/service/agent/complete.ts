import type { StepRequest } from '../../contract/step-request.js';
import { IncrementalParser, type ParseDelta } from '../parsing/incremental.js';
import { completionRequest } from './completion-request.js';
import { proseOnly } from './phases.js';
import type { PreparedPrompt } from './prepare-prompt.js';
import type { Completion, CompletionRequest } from './provider.js';
import type { StepDependencies, StepObserver } from './step-dependencies.js';
import { withoutNul } from './without-nul.js';

interface Call extends Pick<StepDependencies, 'provider' | 'deadline'> {
  readonly observer: StepObserver | undefined;
}

/** The one model call of a step: whole, or in pieces where somebody watches. */
export async function complete(
  request: StepRequest,
  prepared: PreparedPrompt,
  { provider, deadline, observer }: Call,
): Promise<Completion> {
  const call = withTools(request, prepared);
  if (!observer) return withoutNul(await provider.complete(call, deadline));
  const parser = new IncrementalParser(prepared.situation.offered);
  const show =
    request.phase === 'reason' || request.phase === 'observe' ? proseOnly() : (delta: string) => delta;
  const tell = async (deltas: readonly ParseDelta[]) => {
    for (const { type, delta } of deltas) {
      const shown = show(delta);
      if (shown !== '') await observer.delta(type, shown);
    }
  };
  for await (const event of provider.stream(call, deadline)) {
    if (event.type === 'completion') {
      const { finishReason, toolCalls } = event.completion;
      const { deltas } = parser.end({ finishReason });
      const isThought = toolCalls.length > 0 && !prepared.situation.mustAnswer;
      await tell(isThought ? deltas.map(asThought) : deltas);
      return withoutNul(event.completion);
    }
    if (event.type === 'reasoning') await observer.delta('reasoning', withoutNul(event.delta));
    else await tell(parser.push(withoutNul(event.delta)));
  }
  throw new Error('A provider stream ended without its completion.'); // the port promises one
}

/** Prose beside native calls is their thought; the text alone reads like an answer. */
const asThought = ({ type, delta }: ParseDelta): ParseDelta => ({
  type: type === 'answer' ? 'thought' : type,
  delta,
});

function withTools(request: StepRequest, { situation, prompt }: PreparedPrompt): CompletionRequest {
  const plain = completionRequest(request, prompt);
  if (situation.protocol !== 'native') return plain;
  const mayAct = !situation.mustAnswer && (request.phase ?? 'act') === 'act';
  return { ...plain, nativeTools: { definitions: situation.tools, choice: mayAct ? 'auto' : 'none' } };
}
