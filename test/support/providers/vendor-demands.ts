/** A request that a vendor accepts, according to the vendor's documentation. */
export interface VendorDemand {
  readonly url: string;
  /** Header of the caller's key. In `authorization` the key follows `Bearer`. Null if the server takes no key. */
  readonly key: string | null;
  /** Other headers that the vendor requires, with their values. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Names of all fields that a body may have; `required` are those that it must have. */
  readonly fields: readonly string[];
  readonly required: readonly string[];
  /** Allowed values of `response_format.type`. */
  readonly formats: readonly string[];
}

const common = ['model', 'messages', 'tools', 'tool_choice', 'stream'];

/** Returns the demands of a Chat Completions API, whose output limit may have one of several names. */
const chat = (
  url: string,
  {
    limit = 'max_tokens',
    more = [],
    ...changes
  }: Partial<VendorDemand> & { readonly limit?: string; readonly more?: readonly string[] } = {},
): VendorDemand => ({
  url: `${url}/chat/completions`,
  key: 'authorization',
  fields: [...common, 'stream_options', 'response_format', limit, ...more],
  required: ['model', 'messages', limit],
  formats: ['json_schema', 'json_object'],
  ...changes,
});

const newLimit = { limit: 'max_completion_tokens' } as const;
const jsonOnly = { formats: ['json_object'] } as const;
const noKey = { key: null } as const;

/** The demands of each vendor, by the headings of docs/models.md. */
export const vendorDemands: Readonly<Record<string, VendorDemand>> = {
  OpenAI: chat('https://api.openai.com/v1', { ...newLimit, more: ['prompt_cache_key'] }),
  Anthropic: {
    url: 'https://api.anthropic.com/v1/messages',
    key: 'authorization',
    headers: { 'anthropic-version': '2026-10-21' },
    fields: [...common, 'system', 'max_tokens', 'output_config'],
    required: ['model', 'messages', 'max_tokens'],
    formats: [],
  },
  Gemini: chat('https://generativelanguage.googleapis.com/v1beta/openai'),
  DeepSeek: chat('https://api.deepseek.com/v1', jsonOnly),
  Kimi: chat('https://api.moonshot.ai/v1', jsonOnly),
  Mistral: chat('https://api.mistral.ai/v1'),
  'Azure OpenAI': chat('https://my-resource.openai.azure.com/openai/v1', { ...newLimit, key: 'api-key' }),
  Bedrock: chat('https://bedrock-runtime.us-east-1.amazonaws.com/openai/v1', newLimit),
  'Vertex AI': chat(
    'https://us-central1-aiplatform.googleapis.com/v1/projects/my-project/locations/us-central1/endpoints/openapi',
  ),
  OpenRouter: chat('https://openrouter.ai/api/v1', {
    headers: { 'http-referer': 'https://shop.example', 'x-title': 'Shop' },
  }),
  LiteLLM: chat('http://127.0.0.1:4000/v1'),
  Portkey: chat('https://api.portkey.ai/v1', {
    ...newLimit,
    headers: { 'x-portkey-api-key': 'value-of-PORTKEY_API_KEY', 'x-portkey-provider': 'openai' },
  }),
  Cloudflare: chat('https://gateway.ai.cloudflare.com/v1/my-account/my-gateway/compat', {
    ...newLimit,
    headers: { 'cf-aig-authorization': 'Bearer value-of-CF_AIG_TOKEN' },
  }),
  vLLM: chat('http://127.0.0.1:8000/v1', noKey),
  SGLang: chat('http://127.0.0.1:30000/v1', noKey),
  'llama.cpp': chat('http://127.0.0.1:8081/v1', { ...noKey, ...jsonOnly }),
  Ollama: chat('http://127.0.0.1:11434/v1', noKey),
  'LM Studio': chat('http://127.0.0.1:1234/v1', noKey),
};
