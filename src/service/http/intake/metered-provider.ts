import type { Usage } from '../../../contract/step.js';
import type { Completion, CompletionEvent, Provider } from '../../step/provider.js';
import { ProviderError } from '../../step/provider.js';

/** The tokens of one model call: as the service counts them, and as the provider reports them. */
export interface MeteredCall {
  readonly promptTokens: number;
  replyChars: number;
  /** Undefined until the provider has reported the usage. */
  reported: Pick<Usage, 'input_tokens' | 'output_tokens'> | undefined;
  /** True if the provider refused the call, or if the call failed before the reply began. */
  isFree: boolean;
}

/** Approximate length of a token in the replies of models. */
const CHARS_PER_TOKEN = 4;

/** Returns the tokens that all calls together are charged (rule: token-limits). */
export const chargedTokens = (calls: readonly MeteredCall[]): number =>
  calls.reduce((sum, call) => sum + tokensOf(call), 0);

/** A count that the provider does not report, or reports as 0, is replaced by the service's own. */
function tokensOf({ promptTokens, replyChars, reported, isFree }: MeteredCall): number {
  if (isFree) return 0;
  return (
    (reported?.input_tokens || promptTokens) +
    (reported?.output_tokens || Math.ceil(replyChars / CHARS_PER_TOKEN))
  );
}

/**
 * Returns a provider that makes the same calls and adds each of them to `calls` (rule: token-limits). Keeps no
 * reference to the request (rule: lean-waiting).
 */
export function meter(provider: Provider, calls: MeteredCall[]): Provider {
  const begin = (promptTokens: number): MeteredCall => {
    const call: MeteredCall = { promptTokens, replyChars: 0, reported: undefined, isFree: false };
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
  call.reported = completion.usage;
  call.replyChars = charsIn(completion);
}

function forgive(call: MeteredCall, error: unknown): void {
  call.isFree = error instanceof ProviderError && call.replyChars === 0;
}

/** Returns the length of all that the model wrote. */
function charsIn({ text, reasoning, refusal, toolCalls, unreadCallChars = 0 }: Completion): number {
  const calls = toolCalls.flatMap((call) => [call.name, call.arguments]);
  return [text, reasoning, refusal, ...calls].reduce(
    (sum, part) => sum + (part?.length ?? 0),
    unreadCallChars,
  );
}
