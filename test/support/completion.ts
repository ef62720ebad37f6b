import type { Completion } from '../../src/service/step/provider.js';

/** Returns a completion with all fields, changed as the test needs. */
export function completionOf(text: string, changes: Partial<Completion> = {}): Completion {
  return {
    text,
    reasoning: null,
    toolCalls: [],
    refusal: null,
    finishReason: 'stop',
    finishReasonRaw: 'stop',
    usage: {
      input_tokens: 10,
      output_tokens: 5,
      cached_input_tokens: null,
      cache_write_tokens: null,
      reasoning_tokens: null,
      cost: null,
    },
    model: 'some-model',
    isConstrained: false,
    warnings: [],
    ...changes,
  };
}
