import type { Usage } from '../contract/step.js';

/** A usage without any counts: the initial value of a sum. */
export const noUsage: Usage = {
  input_tokens: null,
  output_tokens: null,
  cached_input_tokens: null,
  cache_write_tokens: null,
  reasoning_tokens: null,
  cost: null,
};

/** Adds the counts of two usages, field by field. */
export const sumUsage = (a: Usage, b: Usage): Usage => ({
  input_tokens: sum(a.input_tokens, b.input_tokens),
  output_tokens: sum(a.output_tokens, b.output_tokens),
  cached_input_tokens: sum(a.cached_input_tokens, b.cached_input_tokens),
  cache_write_tokens: sum(a.cache_write_tokens, b.cache_write_tokens),
  reasoning_tokens: sum(a.reasoning_tokens, b.reasoning_tokens),
  cost: sum(a.cost, b.cost),
});

/**
 * Adds two counts. The sum is null only if both counts are null, because a provider that reports no count has not
 * reported 0.
 */
const sum = (a: number | null, b: number | null): number | null =>
  a === null && b === null ? null : (a ?? 0) + (b ?? 0);
