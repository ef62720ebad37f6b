import type { CompletionEvent, Provider } from '../../step/provider.js';
import { ProviderError } from '../../step/provider.js';

/** Tokens of a model call as counted by the service, for a caller who leaves before the provider reports them. */
export interface OwnCount {
  promptTokens: number;
  replyChars: number;
}

/** Approximate length of a token in the replies of models. */
const CHARS_PER_TOKEN = 4;

export const ownTokens = ({ promptTokens, replyChars }: OwnCount): number =>
  promptTokens + Math.ceil(replyChars / CHARS_PER_TOKEN);

/**
 * Returns a provider that makes the same calls and counts their tokens: the prompt's when it is called, and the
 * reply's as it arrives (rule: token-limits). Keeps no reference to the request (rule: lean-waiting).
 */
export function meter(provider: Provider, count: OwnCount): Provider {
  const forgive = (error: unknown): never => {
    // A call that the provider refused, or that failed before the reply began, is not charged.
    if (error instanceof ProviderError && count.replyChars === 0) count.promptTokens = 0;
    throw error;
  };
  return {
    name: provider.name,
    complete(request, deadline) {
      count.promptTokens += request.promptTokens;
      return provider.complete(request, deadline).catch(forgive);
    },
    stream(request, deadline) {
      count.promptTokens += request.promptTokens;
      return counted(provider.stream(request, deadline), count, forgive);
    },
  };
}

async function* counted(
  events: AsyncIterable<CompletionEvent>,
  count: OwnCount,
  forgive: (error: unknown) => never,
): AsyncGenerator<CompletionEvent> {
  try {
    for await (const event of events) {
      if (event.type !== 'completion') count.replyChars += event.delta.length;
      yield event;
    }
  } catch (error) {
    forgive(error);
  }
}
