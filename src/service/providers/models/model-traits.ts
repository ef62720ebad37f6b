import type { CompletionRequest, ModelProfile, WireName } from '../../step/provider.js';
import { anthropicSchema, openaiSchema } from './schema-dialects.js';

export type Effort = NonNullable<CompletionRequest['reasoningEffort']>;

/**
 * A row of the model table, completed with the defaults of its family: the parameters that a model supports, and
 * how its tokens are counted.
 */
export interface ModelTraits extends ModelProfile {
  /** False if the model refuses any temperature but its default. */
  readonly temperature: boolean;
  readonly seed: boolean;
  /** The reasoning efforts that the model supports; empty if it supports none. */
  readonly efforts: readonly Effort[];
  readonly maxTokensParam: 'max_tokens' | 'max_completion_tokens';
  /** True if the vendor's cache is selected by `prompt_cache_key`. */
  readonly cacheKey: boolean;
  /** True if breakpoints inside the prompt tell the vendor which part to cache. */
  readonly cacheBreakpoints: boolean;
  /** API through which the vendor's own models are called. */
  readonly wire: WireName;
}

/**
 * Factors by which token counts of the encoding o200k are multiplied for models whose tokenizer is not public. They
 * suffice for at least 95 of 100 samples of code, prose, JSON and translations (docs/decisions/token-counting.md).
 */
export const estimateMargins = {
  /** For Claude 3 to 4.6. */
  claude: 1.4,
  /**
   * For Claude Opus 4.7 and later Claude models, whose tokenizer produces about 30 % more tokens for the same
   * text.
   */
  claudeSince47: 1.8,
  /**
   * For any other model. The factor is enough for models with a vocabulary of 32,000 tokens (Llama 2, Mistral). Newer
   * models would need less, since their counts are close to those of o200k.
   */
  unknown: 1.4,
} as const;

/**
 * OpenAI's chat format: 3 tokens and 1 for the role in each message, including the system message, and 3 that open
 * the reply (openai-cookbook, "How to count tokens with tiktoken").
 */
const openaiFraming = { prompt: 3, message: 4 };

/** Anthropic does not publish its chat format. These numbers are upper bounds of all observed values. */
const anthropicFraming = { prompt: 8, message: 8 };

/** Defaults for OpenAI's models. */
export const openaiModel: ModelTraits = {
  contextWindow: null,
  encoding: 'o200k_base',
  countMargin: 1,
  framing: openaiFraming,
  nativeTools: 'good',
  structured: openaiSchema,
  needsExample: false,
  temperature: true,
  seed: true,
  efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
  maxTokensParam: 'max_completion_tokens',
  cacheKey: true,
  cacheBreakpoints: false,
  wire: 'chat',
};

/**
 * Defaults for Anthropic's models. Their tokenizer is not public, so tokens are estimated: the count of the encoding
 * o200k times a safety factor.
 */
export const anthropicModel: ModelTraits = {
  ...openaiModel,
  contextWindow: 1_000_000,
  countMargin: estimateMargins.claudeSince47,
  framing: anthropicFraming,
  structured: anthropicSchema,
  seed: false,
  efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
  maxTokensParam: 'max_tokens',
  cacheKey: false,
  cacheBreakpoints: true,
  wire: 'messages',
};

/**
 * Defaults for models of compatible servers: the features that all of them support. Parameters that a model
 * refuses are learned at run time.
 */
export const compatibleModel: ModelTraits = {
  ...openaiModel,
  countMargin: estimateMargins.unknown,
  nativeTools: 'poor',
  structured: 'none',
  needsExample: true,
  maxTokensParam: 'max_tokens',
  cacheKey: false,
};

/**
 * The embedded search model. It is not a language model, so no parameter has an effect. Its tokens are counted by
 * o200k.
 */
export const offlineModel: ModelTraits = {
  ...compatibleModel,
  contextWindow: 128_000,
  countMargin: 1,
  nativeTools: 'none',
  needsExample: false,
  temperature: false,
  seed: false,
  efforts: [],
};
