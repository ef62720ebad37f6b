import {
  anthropicModel,
  type Effort,
  estimateMargins,
  type ModelTraits,
  offlineModel,
  openaiModel,
} from './model-traits.js';
import { strictSchema } from './schema-dialects.js';
import { visionOf } from './vision.js';

interface ModelRow extends Partial<ModelTraits> {
  readonly pattern: RegExp;
  /** Model names to list. Other names that match the row's pattern are served too. */
  readonly names: readonly string[];
}

interface VendorModels {
  /** Matches model names that select this vendor if the request names no provider. */
  readonly route: RegExp;
  readonly models: readonly ModelRow[];
  /** Defaults for all traits that a row does not set. */
  readonly family: ModelTraits;
}

const upToHigh: readonly Effort[] = ['low', 'medium', 'high'];
const noReasoning = { temperature: true, efforts: [] } as const;

/**
 * OpenAI's models; the first matching row is used. Sources: types of `openai` 6.49, the vendor's model pages. An
 * undocumented context window is null. A fine-tuned model is named `ft:` and its base model.
 */
const openaiModels: readonly ModelRow[] = [
  {
    // The encoding of this generation is not published. Explicit cache breakpoints exist since 5.6 (types of `openai`
    // 6.49). Since 5.4, reasoning together with tools works only in the Responses API
    // (docs.spring.io/spring-ai/reference/2.1).
    pattern: /^(?:ft:)?gpt-(?:[6-9]|\d\d)/,
    names: ['gpt-6.1-sol', 'gpt-6.1-terra', 'gpt-6-sol', 'gpt-6-luna', 'gpt-6-astra'],
    countMargin: estimateMargins.unknown,
    wire: 'responses',
    cacheBreakpoints: true,
    temperature: false,
  },
  {
    pattern: /^(?:ft:)?gpt-5\.(?:[6-9]|\d\d)/,
    names: ['gpt-5.6-sol', 'gpt-5.6-terra', 'gpt-5.6-luna'],
    wire: 'responses',
    cacheBreakpoints: true,
    temperature: false,
  },
  {
    pattern: /^(?:ft:)?gpt-5\.[45]-(?:mini|nano)/,
    names: ['gpt-5.4-mini', 'gpt-5.4-nano'],
    efforts: ['none', 'low', 'medium', 'high', 'xhigh'],
    wire: 'responses',
    temperature: false,
  },
  {
    pattern: /^(?:ft:)?gpt-5\.[45]/,
    names: ['gpt-5.5', 'gpt-5.4'],
    contextWindow: 1_050_000,
    efforts: ['none', 'low', 'medium', 'high', 'xhigh'],
    wire: 'responses',
    temperature: false,
  },
  {
    pattern: /^(?:ft:)?gpt-5(?:\.\d)?-chat/,
    names: ['gpt-5.3-chat-latest', 'gpt-5.2-chat-latest', 'gpt-5.1-chat-latest', 'gpt-5-chat-latest'],
    contextWindow: 128_000,
    efforts: [],
  },
  {
    pattern: /^(?:ft:)?gpt-5\.[123]/,
    names: ['gpt-5.2', 'gpt-5.2-pro', 'gpt-5.1', 'gpt-5.1-mini'],
    contextWindow: 400_000,
    efforts: ['none', 'low', 'medium', 'high', 'xhigh'],
    temperature: false,
  },
  {
    pattern: /^(?:ft:)?gpt-5/,
    names: ['gpt-5', 'gpt-5-mini', 'gpt-5-nano'],
    contextWindow: 400_000,
    efforts: ['minimal', 'low', 'medium', 'high'],
    temperature: false,
  },
  {
    pattern: /^(?:ft:)?gpt-4\.1/,
    names: ['gpt-4.1', 'gpt-4.1-mini', 'gpt-4.1-nano'],
    contextWindow: 1_047_576,
    ...noReasoning,
  },
  {
    // These models are older than structured output (docs/reference/constrained-output.md).
    pattern: /^(?:gpt-4o-2024-05-13|chatgpt-4o)/,
    names: ['chatgpt-4o-latest'],
    contextWindow: 128_000,
    structured: 'json_object',
    ...noReasoning,
  },
  {
    pattern: /^(?:ft:)?gpt-4o/,
    names: ['gpt-4o', 'gpt-4o-mini'],
    contextWindow: 128_000,
    ...noReasoning,
  },
  {
    pattern: /^(?:ft:)?gpt-4-(?:turbo|1106|0125|vision)/,
    names: ['gpt-4-turbo'],
    structured: 'json_object',
    contextWindow: 128_000,
    encoding: 'cl100k_base',
    ...noReasoning,
  },
  {
    pattern: /^(?:ft:)?gpt-4-32k/,
    names: [],
    structured: 'none',
    contextWindow: 32_768,
    encoding: 'cl100k_base',
    ...noReasoning,
  },
  {
    pattern: /^(?:ft:)?gpt-4/,
    names: ['gpt-4'],
    structured: 'none',
    contextWindow: 8_192,
    encoding: 'cl100k_base',
    ...noReasoning,
  },
  {
    pattern: /^(?:ft:)?gpt-3\.5/,
    names: ['gpt-3.5-turbo'],
    structured: 'json_object',
    contextWindow: 16_385,
    encoding: 'cl100k_base',
    ...noReasoning,
  },
  {
    pattern: /^(?:ft:)?o1-(?:mini|preview)/,
    names: [],
    contextWindow: 128_000,
    nativeTools: 'none',
    structured: 'none',
    efforts: [],
    temperature: false,
  },
  {
    pattern: /^(?:ft:)?o\d/,
    names: ['o4-mini', 'o3', 'o3-mini', 'o1'],
    contextWindow: 200_000,
    efforts: upToHigh,
    temperature: false,
  },
];

/**
 * Anthropic's models. Sources: types of `@anthropic-ai/sdk` 1.12, the model overview at platform.claude.com. Since
 * API version 2026-10-21, models after Opus 4.6 refuse any temperature but 1; whether older models do too is
 * unknown.
 */
const anthropicModels: readonly ModelRow[] = [
  {
    // These models always think, so thinking cannot be turned off.
    pattern: /^claude-(?:fable|mythos)-/,
    names: [
      'claude-fable-5-2',
      'claude-fable-5-1',
      'claude-fable-5',
      'claude-mythos-5-2',
      'claude-mythos-5-1',
    ],
    temperature: false,
    efforts: ['low', 'medium', 'high', 'xhigh', 'max'],
  },
  {
    pattern: /^claude-(?:opus|sonnet)-4-6/,
    names: ['claude-opus-4-6', 'claude-sonnet-4-6'],
    countMargin: estimateMargins.claude,
    efforts: ['none', 'low', 'medium', 'high', 'max'],
  },
  {
    pattern: /^claude-(?:(?:opus|sonnet|haiku)-4(?:-[0-4])?(?:$|-\d{8})|\d)/,
    names: [],
    contextWindow: 200_000,
    countMargin: estimateMargins.claude,
    structured: 'none',
    efforts: [],
  },
  {
    // On these models, a reasoning effort would require a thinking budget, which only the caller could choose.
    pattern: /^claude-(?:(?:opus|sonnet|haiku)-4(?:-[0-5])?(?:$|-\d{8})|\d)/,
    names: ['claude-opus-4-5', 'claude-sonnet-4-5', 'claude-haiku-4-5'],
    contextWindow: 200_000,
    countMargin: estimateMargins.claude,
    efforts: [],
  },
  {
    pattern: /^claude-/,
    names: [
      'claude-opus-5-5',
      'claude-sonnet-5-5',
      'claude-haiku-5-5',
      'claude-opus-5',
      'claude-sonnet-5',
      'claude-opus-4-8',
      'claude-opus-4-7',
    ],
    temperature: false,
  },
];

/**
 * The vendors. If the request names no provider, it goes to the first vendor whose `route` matches the model's name.
 */
export const vendors = {
  openai: { route: /^(?:ft:)?(?:gpt-|chatgpt-|o\d+(?:-|$))/, models: openaiModels, family: openaiModel },
  anthropic: { route: /^claude-/, models: anthropicModels, family: anthropicModel },
  offline: { route: /^offline$/, models: [{ pattern: /^/, names: ['offline'] }], family: offlineModel },
} as const satisfies Record<string, VendorModels>;

export type VendorName = keyof typeof vendors;

// Cast: `Object.keys` of a literal object returns exactly its keys.
export const vendorNames = Object.keys(vendors) as VendorName[];

/** Models of OpenAI's older generations that only its Responses API serves (model pages of the vendor). */
const responsesOnly = /^(?:ft:)?(?:(?:gpt-5(?:\.\d+)?|o\d)-pro|[\w.-]*(?:-codex|deep-research))/;

/** Returns the listed model names of a vendor. Other names are served too. */
export const listedNames = (vendor: VendorName): readonly string[] =>
  vendors[vendor].models.flatMap(({ names }) => names);

/** Returns the traits of any model of a vendor, listed or not. */
export function traitsOf(vendor: VendorName, model: string): ModelTraits {
  const { models, family }: VendorModels = vendors[vendor];
  const {
    pattern: _,
    names: __,
    ...traitsOfRow
  } = models.find(({ pattern }) => pattern.test(model)) ?? unknown;
  const traits: ModelTraits = Object.assign(
    {},
    family,
    traitsOfRow,
    vendor === 'openai' && responsesOnly.test(model) && { wire: 'responses' },
    { vision: visionOf(vendor, model) },
  );
  const isFineTuned = model.startsWith('ft:') && traits.structured === family.structured;
  // Fine-tuned models do not enforce the bounds of a schema, such as `maxLength`.
  return isFineTuned ? { ...traits, structured: strictSchema } : traits;
}

const unknown: ModelRow = { pattern: /^/, names: [] };

/**
 * Words in model names that identify a family. Models with the same word accept each other's reasoning state, as
 * far as is known.
 */
const families =
  /claude|gemini|gpt|deepseek|kimi|qwen|qwq|glm|grok|minimax|magistral|mistral|llama|nova|nemotron|gemma|command|seed|step|mimo/;

/** OpenAI's reasoning models that are named by a letter and a number. */
const numbered = /^(?:ft:)?o\d/;

/**
 * Returns the family of a model. Reasoning state is sent back only to the same family (rule: provider-state). A
 * name without a known word, such as that of a deployment, is its own family.
 */
export function familyOf(model: string): string {
  const name = model.toLowerCase();
  const last = name.slice(name.lastIndexOf('/') + 1);
  return families.exec(last)?.[0] ?? (numbered.test(last) ? 'o' : name);
}
