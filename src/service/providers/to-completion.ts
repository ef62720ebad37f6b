import { randomUUID } from 'node:crypto';
import type { Warning } from '../../contract/step.js';
import { isTooLarge } from '../step/history/provider-state.js';
import { CHARACTERS_PER_TOKEN, type Completion, type StateOrigin } from '../step/provider.js';
import type { ReplyCap } from './upstream/reply-cap.js';
import type { SentRequest, VendorCompletion, VendorState } from './vendor.js';

interface ReplyContext {
  readonly request: SentRequest;
  readonly cap: ReplyCap;
  /** The model and the upstream to which the provider states of the reply belong. */
  readonly origin: StateOrigin;
}

/** Converts a reply as the adapter read it to a completion. Does everything that is the same for all vendors. */
export function toCompletion(reply: VendorCompletion, { request, cap, origin }: ReplyContext): Completion {
  const { state: _, model, reasoning, refusal, ...read } = reply;
  const finishReason = refusal === '' ? read.finishReason : 'refusal';
  const completion: Completion = {
    ...read,
    // Many clients reject JSON that contains halves of surrogate pairs.
    text: read.text.toWellFormed(),
    reasoning: reasoning === '' ? null : reasoning.toWellFormed(),
    refusal: finishReason === 'refusal' ? refusal.toWellFormed() : null,
    finishReason,
    toolCalls: reply.toolCalls.map(({ id, name, arguments: written }) => ({
      id: id === '' ? `call_${randomUUID()}` : id,
      name: request.ownToolName(name),
      arguments: written.toWellFormed(),
    })),
    model: model ?? request.model,
    isConstrained: (request.constraint?.schema ?? null) !== null,
    warnings: request.warnings,
  };
  // A reply that was cut has no valid signatures.
  return cap.isExceeded ? cap.mark(completion) : withStates(completion, reply, origin);
}

/**
 * Adds the provider states of a reply, each with the model and the upstream it came from (rule: provider-state). If
 * one is too large, adds none.
 */
function withStates(
  completion: Completion,
  { state, toolCalls }: VendorCompletion,
  origin: StateOrigin,
): Completion {
  const { reasoning_tokens: reported } = completion.usage;
  const ofReply = state && seal(state, origin, reported);
  const ofCalls = toolCalls.map(
    ({ state: own }, index) => own && seal(own, origin, index === 0 ? reported : null),
  );
  if ([ofReply, ...ofCalls].some((each) => each && isTooLarge(each)))
    return { ...completion, warnings: [...completion.warnings, stateDropped] };
  return {
    ...completion,
    toolCalls: completion.toolCalls.map((call, index) => {
      const providerState = ofCalls[index];
      return { ...call, ...(providerState && { providerState }) };
    }),
    ...(ofReply && { providerState: ofReply }),
  };
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
