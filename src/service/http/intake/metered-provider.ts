import type { Usage } from '../../../contract/step.js';
import { type CallObserver, observeCalls } from '../../step/observe-calls.js';
import { CHARACTERS_PER_TOKEN, type Completion, type Provider, ProviderError } from '../../step/provider.js';

/** The tokens of one model call: as the service counts them, and as the provider reports them. */
export interface MeteredCall {
  readonly promptTokens: number;
  replyChars: number;
  /** Undefined until the provider has reported the usage. */
  reported: Pick<Usage, 'input_tokens' | 'output_tokens'> | undefined;
  /** True if the provider refused the call, or if the call failed before the reply began. */
  isFree: boolean;
}

/** Returns the tokens that all calls together are charged (rule: token-limits). */
export const chargedTokens = (calls: readonly MeteredCall[]): number =>
  calls.reduce((sum, call) => sum + tokensOf(call), 0);

/** A count that the provider does not report, or reports as 0, is replaced by the service's own. */
const tokensOf = ({ promptTokens, replyChars, reported, isFree }: MeteredCall): number =>
  isFree
    ? 0
    : (reported?.input_tokens || promptTokens) +
      (reported?.output_tokens || Math.ceil(replyChars / CHARACTERS_PER_TOKEN));

/** Returns a provider that makes the same calls and adds each of them to `calls` (rule: token-limits). */
export const meter = (provider: Provider, calls: MeteredCall[]): Provider =>
  observeCalls(provider, ({ request: { promptTokens } }) => {
    const call: MeteredCall = { promptTokens, replyChars: 0, reported: undefined, isFree: false };
    calls.push(call);
    return meterOf(call);
  });

const meterOf = (call: MeteredCall): CallObserver => ({
  event(event) {
    if (event.type === 'completion') end(call, event.completion);
    else call.replyChars += event.delta.length;
  },
  failed: (error) => forgive(call, error),
});

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
