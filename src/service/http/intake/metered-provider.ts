import type { Usage } from '../../../contract/step.js';
import type { Completion, CompletionEvent, Provider } from '../../step/provider.js';
import { CHARACTERS_PER_TOKEN, ProviderError } from '../../step/provider.js';

/** The tokens of one model call: as the provider reports them, and until then as the service counts them. */
export interface MeteredCall {
  promptTokens: number;
  replyChars: number;
  /** 0 until the provider has reported the usage. */
  reportedTokens: number;
}

/** Returns the tokens that all calls together are charged (rule: token-limits). */
export const chargedTokens = (calls: readonly MeteredCall[]): number =>
  calls.reduce((sum, call) => sum + tokensOf(call), 0);

const tokensOf = ({ promptTokens, replyChars, reportedTokens }: MeteredCall): number =>
  reportedTokens || promptTokens + Math.ceil(replyChars / CHARACTERS_PER_TOKEN);

/**
 * Returns a provider that makes the same calls and adds each of them to `calls` (rule: token-limits). Keeps no
 * reference to the request (rule: lean-waiting).
 */
export function meter(provider: Provider, calls: MeteredCall[]): Provider {
  const begin = (promptTokens: number): MeteredCall => {
    const call = { promptTokens, replyChars: 0, reportedTokens: 0 };
    calls.push(call);
    return call;
  };
  return {
    name: provider.name,
    complete(request, deadline) {
      return metered(provider.complete(request, deadline), begin(request.promptTokens));
    },
    stream(request, deadline) {
      return meteredStream(provider.stream(request, deadline), begin(request.promptTokens));
    },
  };
}

async function metered(pending: Promise<Completion>, call: MeteredCall): Promise<Completion> {
  try {
    const completion = await pending;
    end(call, completion);
    return completion;
  } catch (error) {
    forgive(call, error);
    throw error;
  }
}

async function* meteredStream(
  events: AsyncIterable<CompletionEvent>,
  call: MeteredCall,
): AsyncGenerator<CompletionEvent> {
  try {
    for await (const event of events) {
      if (event.type === 'completion') end(call, event.completion);
      else call.replyChars += event.delta.length;
      yield event;
    }
  } catch (error) {
    forgive(call, error);
    throw error;
  }
}

function end(call: MeteredCall, completion: Completion): void {
  call.reportedTokens = tokensIn(completion.usage);
  call.replyChars = charsIn(completion);
}

/** A call that the provider refused, or that failed before the reply began, is not charged. */
function forgive(call: MeteredCall, error: unknown): void {
  if (error instanceof ProviderError && call.replyChars === 0) call.promptTokens = 0;
}

const tokensIn = ({ input_tokens: input, output_tokens: output }: Usage): number =>
  (input ?? 0) + (output ?? 0);

/** Returns the length of all that the model wrote. */
function charsIn({ text, reasoning, refusal, toolCalls, unreadCallChars = 0 }: Completion): number {
  const calls = toolCalls.flatMap((call) => [call.name, call.arguments]);
  return [text, reasoning, refusal, ...calls].reduce(
    (sum, part) => sum + (part?.length ?? 0),
    unreadCallChars,
  );
}
