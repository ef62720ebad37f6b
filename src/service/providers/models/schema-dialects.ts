import type { ModelProfile } from '../../step/provider.js';

type SchemaDialect = Extract<ModelProfile['structured'], object>;

/**
 * OpenAI's strict subset, which gateways and compatible servers take too (developers.openai.com/api/docs/guides/structured-outputs):
 * one object as the root, all properties required, none undeclared.
 */
export const strictSchema: SchemaDialect = {
  form: 'json_schema',
  unionAtRoot: false,
  allRequired: true,
  distinctFirstKeys: true,
  openValues: false,
  bounds: [],
  longEnum: { values: 250, characters: 15_000 },
  isCharged: true,
  limits: {
    depth: 10,
    properties: 5_000,
    optionalProperties: 0,
    unions: Number.POSITIVE_INFINITY,
    enumValues: 1_000,
    characters: 120_000,
  },
};

/** OpenAI's own models, but for fine-tuned ones, enforce these bounds too. */
export const openaiSchema: SchemaDialect = {
  ...strictSchema,
  bounds: [
    'minimum',
    'maximum',
    'exclusiveMinimum',
    'exclusiveMaximum',
    'multipleOf',
    'minItems',
    'maxItems',
  ],
};

/**
 * Anthropic's (platform.claude.com/docs/en/build-with-claude/structured-outputs): optional properties are taken, but
 * few of them and of unions. It names no limit of depth or length: these are ours, so that a grammar stays small.
 */
export const anthropicSchema: SchemaDialect = {
  ...strictSchema,
  form: 'anthropic',
  allRequired: false,
  distinctFirstKeys: false,
  limits: {
    depth: 10,
    properties: 1_000,
    optionalProperties: 24,
    unions: 16,
    enumValues: 1_000,
    characters: 60_000,
  },
};

/**
 * llama.cpp turns nearly every schema into a grammar. The limits are ours: it walks the grammar at every token. No bounds:
 * some of its bindings nest a rule as deep as `maxLength` is large, and none knows all.
 */
export const llamaSchema: SchemaDialect = {
  form: 'llama',
  unionAtRoot: true,
  allRequired: false,
  distinctFirstKeys: false,
  openValues: true,
  bounds: [],
  longEnum: { values: Number.POSITIVE_INFINITY, characters: Number.POSITIVE_INFINITY },
  isCharged: false,
  limits: {
    depth: 20,
    properties: 2_000,
    optionalProperties: 1_000,
    unions: 1_000,
    enumValues: 2_000,
    characters: 60_000,
  },
};
