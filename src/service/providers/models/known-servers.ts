import type { ModelTraits } from './model-traits.js';
import { llamaSchema, strictSchema } from './schema-dialects.js';

/** How the output of a compatible server can be constrained, as an operator sets it. */
export type StructuredSetting = 'json_schema' | 'json_object' | 'llama' | 'none';

/** Schema dialect of servers that compile the schema into a grammar instead of putting it into the prompt. */
const grammarSchema = { ...strictSchema, isCharged: false };

const settings = {
  json_schema: strictSchema,
  json_object: 'json_object',
  llama: llamaSchema,
  none: 'none',
} as const satisfies Record<StructuredSetting, ModelTraits['structured']>;

interface KnownServer {
  /** Host names or their first labels, as in `ollama` and `ollama.internal`. */
  readonly labels?: readonly string[];
  /** Domains: the last labels of the host name. */
  readonly domains?: readonly string[];
  /** The server's default port. */
  readonly port?: string;
  readonly structured: ModelTraits['structured'];
}

/** Servers that are recognised by their address (docs/reference/constrained-output.md). */
const knownServers: readonly KnownServer[] = [
  { labels: ['llamacpp', 'llama-cpp', 'llama_cpp', 'llama-server'], structured: llamaSchema },
  { labels: ['ollama'], port: '11434', structured: grammarSchema },
  { labels: ['lmstudio', 'lm-studio'], port: '1234', structured: grammarSchema },
  { labels: ['vllm', 'sglang'], structured: grammarSchema },
  { labels: ['litellm'], domains: ['openrouter.ai'], structured: strictSchema },
  {
    domains: ['openai.azure.com', 'services.ai.azure.com', 'cognitiveservices.azure.com'],
    structured: strictSchema,
  },
];

/**
 * Returns how a server's output can be constrained: the operator's setting, otherwise that of a known server,
 * otherwise `none` (rule: named-upstreams).
 */
export function structuredOf(url: string, setting: StructuredSetting | undefined): ModelTraits['structured'] {
  const known = knownServers.find((server) => isAt(new URL(url), server))?.structured;
  if (setting === undefined) return known ?? 'none';
  return setting === 'json_schema' && typeof known === 'object' && known.form === 'json_schema'
    ? known
    : settings[setting];
}

function isAt({ hostname, port }: URL, { labels = [], domains = [], port: usual }: KnownServer): boolean {
  const hostLabels = hostname.split('.');
  return (
    labels.some((label) => hostLabels.includes(label)) ||
    domains.some((domain) => `.${hostname}`.endsWith(`.${domain}`)) ||
    (usual !== undefined && port === usual)
  );
}
