import type { ModelProfile } from '../../step/provider.js';

type SchemaDialect = Extract<ModelProfile['structured'], object>;

/**
 * OpenAI's strict subset of JSON Schema, which gateways and compatible servers accept too
 * (developers.openai.com/api/docs/guides/structured-outputs): the root is one object, all properties are required,
 * and undeclared ones are forbidden.
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

/** The dialect of OpenAI's own models, which also enforce the bounds listed here. Fine-tuned models do not. */
export const openaiSchema: SchemaDialect = {
  ...strictSchema,
  besideTools: true,
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
 * Anthropic's dialect of JSON Schema (platform.claude.com/docs/en/build-with-claude/structured-outputs). It allows
 * few optional properties and few unions. Anthropic documents no limit of depth or length; the limits here keep
 * the compiled grammar small.
 */
export const anthropicSchema: SchemaDialect = {
  ...strictSchema,
  form: 'anthropic',
  besideTools: true,
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
 * The dialect of llama.cpp, which turns nearly every schema into a grammar. The limits are ours, because llama.cpp
 * evaluates the grammar at every token. Bounds are omitted: some bindings nest a grammar rule as deep as
 * `maxLength` is large, and no binding supports all bounds.
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
