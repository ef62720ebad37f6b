import type { CompletionRequest, ModelProfile } from '../../step/provider.js';
import { anthropicSchema, openaiSchema } from './schema-dialects.js';

export type Effort = NonNullable<CompletionRequest['reasoningEffort']>;

/** The parameters that a model takes and how it counts: a row of the model table, completed from its family. */
export interface ModelTraits extends ModelProfile {
  /** False if the model is known to refuse any value but its own. */
  readonly temperature: boolean;
  readonly seed: boolean;
  /** The reasoning efforts the model takes; empty if it takes none. */
  readonly efforts: readonly Effort[];
  readonly maxTokensParam: 'max_tokens' | 'max_completion_tokens';
  /** `prompt_cache_key` steers repeated prompts to the same cache. */
  readonly cacheKey: boolean;
  /** Breakpoints in the prompt itself mark the part to cache. */
  readonly cacheBreakpoints: boolean;
  /** With native tools the model takes no effort but `none`, which must be sent. */
  readonly toolsWithoutReasoning: boolean;
}

/**
 * Factors on o200k counts for models whose tokenizer is not public: at least 95 of 100 samples of code, prose, JSON
 * and translations need no more. Samples and means: docs/decisions/token-counting.md.
 */
export const estimateMargins = {
  /** Claude 3 to 4.6. */
  claude: 1.4,
  /** Claude Opus 4.7 and all later Claude models: their tokenizer makes about 30 % more tokens of the same text. */
  claudeSince47: 1.8,
  /** Any other model: covers vocabularies of 32,000 tokens (Llama 2, Mistral); later ones are close to o200k. */
  unknown: 1.4,
} as const;

/**
 * OpenAI's chat format: 3 tokens and a role of 1 for each message, the system message among them, and 3 that open
 * the reply (openai-cookbook, "How to count tokens with tiktoken").
 */
const openaiFraming = { prompt: 3, message: 4 };

/** Anthropic does not publish its format; an upper bound of all observed values. */
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
  toolsWithoutReasoning: false,
};

/** Defaults for Anthropic's models: without a public tokenizer, o200k times a margin. */
export const anthropicModel: ModelTraits = {
  ...openaiModel,
  contextWindow: 1_000_000,
  countMargin: estimateMargins.claudeSince47,
  framing: anthropicFraming,
  structured: anthropicSchema,
  temperature: false,
  seed: false,
  efforts: ['none', 'low', 'medium', 'high', 'xhigh', 'max'],
  maxTokensParam: 'max_tokens',
  cacheKey: false,
  cacheBreakpoints: true,
};

/** Defaults for models of compatible servers: the common denominator. Refused parameters are learned. */
export const compatibleModel: ModelTraits = {
  ...openaiModel,
  countMargin: estimateMargins.unknown,
  nativeTools: 'poor',
  structured: 'none',
  needsExample: true,
  maxTokensParam: 'max_tokens',
  cacheKey: false,
};

/** The embedded searcher: no language model, so nothing steers it. It counts as o200k does by definition. */
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
