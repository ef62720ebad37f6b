import type { ModelTraits } from './model-traits.js';
import { llamaSchema, strictSchema } from './schema-dialects.js';

/** How the output of a compatible server can be constrained, as an operator says it. */
export type StructuredSetting = 'json_schema' | 'json_object' | 'llama' | 'none';

/** The schema makes a grammar at these servers, and is not put into the prompt. */
const grammarSchema = { ...strictSchema, isCharged: false };

const settings = {
  json_schema: strictSchema,
  json_object: 'json_object',
  llama: llamaSchema,
  none: 'none',
} as const satisfies Record<StructuredSetting, ModelTraits['structured']>;

/** Servers that are known by the name they were given, or by their address (docs/reference/constrained-output.md). */
const knownServers: readonly { readonly pattern: RegExp; readonly structured: ModelTraits['structured'] }[] =
  [
    { pattern: /llama[._-]?cpp|llama-server/i, structured: llamaSchema },
    { pattern: /ollama|:11434\b|lm-?studio|:1234\b|vllm|sglang/i, structured: grammarSchema },
    { pattern: /litellm|openrouter|\.openai\.azure\.com|azure/i, structured: strictSchema },
  ];

/** What the operator says, else what is known of the server, else that its output is free. */
export function structuredOf(
  name: string,
  url: string,
  setting: StructuredSetting | undefined,
): ModelTraits['structured'] {
  const known = knownServers.find(({ pattern }) => pattern.test(`${name} ${url}`))?.structured;
  if (setting === undefined) return known ?? 'none';
  return setting === 'json_schema' && typeof known === 'object' && known.form === 'json_schema'
    ? known
    : settings[setting];
}
