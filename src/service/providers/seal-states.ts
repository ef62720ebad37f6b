import type { Warning } from '../../contract/step.js';
import { isTooLarge } from '../step/history/provider-state.js';
import {
  CHARACTERS_PER_TOKEN,
  type Completion,
  type NativeToolCall,
  type StateOrigin,
} from '../step/provider.js';

/** State that an adapter found in a reply, reduced to the fields that its API defines. */
export interface VendorState {
  readonly fields: Readonly<Record<string, unknown>>;
  /** True if a part of the state is encrypted or signed, so that its tokens cannot be counted. */
  readonly isEncrypted: boolean;
}

/**
 * A completion as an adapter read it. Its provider states do not yet name the model and the upstream they came
 * from.
 */
export interface VendorCompletion extends Omit<Completion, 'providerState' | 'toolCalls'> {
  /** State of the whole reply. */
  readonly state?: VendorState | undefined;
  readonly toolCalls: readonly VendorToolCall[];
}

interface VendorToolCall extends Omit<NativeToolCall, 'providerState'> {
  /** Provider state of this call. That of the first call includes the state of the whole reply. */
  readonly state?: VendorState | undefined;
}

/**
 * Adds to each provider state of a completion the model and the upstream it came from (rule: provider-state).
 * Drops all states if one is too large.
 */
export function sealStates(
  { state, toolCalls, ...completion }: VendorCompletion,
  origin: StateOrigin,
): Completion {
  const { reasoning_tokens: reported } = completion.usage;
  const ofReply = state && seal(state, origin, reported);
  const calls = toolCalls.map(({ state: own, ...call }, index) => {
    const providerState = own && seal(own, origin, index === 0 ? reported : null);
    return { ...call, ...(providerState && { providerState }) };
  });
  const sealed = [ofReply, ...calls.map(({ providerState }) => providerState)];
  if (!sealed.some((each) => each && isTooLarge(each)))
    return { ...completion, toolCalls: calls, ...(ofReply && { providerState: ofReply }) };
  const withoutState = toolCalls.map(({ state: _, ...call }) => call);
  return { ...completion, toolCalls: withoutState, warnings: [...completion.warnings, stateDropped] };
}

/**
 * Adds the origin to a state. An encrypted state also gets its number of tokens: the reasoning tokens that the
 * vendor reported, or else a quarter of its bytes.
 */
function seal({ fields, isEncrypted }: VendorState, origin: StateOrigin, reported: number | null) {
  const estimate = () => Math.ceil(Buffer.byteLength(JSON.stringify(fields)) / CHARACTERS_PER_TOKEN);
  return { ...origin, ...(isEncrypted && { tokens: reported || estimate() }), ...fields };
}

const stateDropped: Warning = {
  code: 'provider_state_dropped',
  message:
    'The reasoning state of this reply exceeds 256 KiB and is not kept: the provider may reject the next step with this history.',
};
