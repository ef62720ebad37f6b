/**
 * Factors on o200k counts for models whose tokenizer is not public: at least 95 of 100 samples of code, prose, JSON
 * and translations need no more. What they were measured on, and what the means are: docs/decisions/token-counting.md.
 */
export const estimateMargins = {
  /** Claude 3 to 4.6. */
  claude: 1.4,
  /** Claude Opus 4.7 and all later Claude models: their tokenizer makes about 30 % more tokens of the same text. */
  claudeSince47: 1.8,
  /** Any other model: covers vocabularies of 32,000 tokens (Llama 2, Mistral); later ones are close to o200k. */
  unknown: 1.4,
} as const;
