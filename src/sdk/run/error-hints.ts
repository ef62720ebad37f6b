import type { StepError } from '../../contract/step.js';
import type { RunLlmConfig } from './run-options.js';

/** The reason why a run failed: an error of the service or of the client, with advice. */
export interface RunError extends StepError {
  /** Advice for the developer: the option, variable or address to check; null if the message says it all. */
  readonly hint: string | null;
}

/** Adds the advice for its code to an error of a run with this model. */
export const withHint = (error: StepError, model: RunLlmConfig): RunError => ({
  ...error,
  hint: hintFor(error, error.provider ?? providerOf(model)),
});

/**
 * Returns the error in one sentence, with its first detail, in the words of the SDK: some messages of the service name
 * fields and headers of HTTP.
 */
export function describeError({ code, message, details }: StepError): string {
  const [detail] = details;
  const sentence = sentences.get(code) ?? message;
  if (!detail) return `${sentence} (${code})`;
  const place = detail.path ? `${detail.path.replace(/^llm_config\b/, 'llmConfig')}: ` : '';
  const text = detail.source === 'provider' ? `The provider said: ${detail.message}` : detail.message;
  // The text may come from a provider: it must stay on its line.
  const line = (place + text).replace(/[\s\p{Cc}]+/gu, ' ').slice(0, MAX_DETAIL_CHARS);
  return `${sentence} ${line} (${code})`;
}

const MAX_DETAIL_CHARS = 300;

/** Sentences in place of messages that speak of HTTP. */
const sentences: ReadonlyMap<string, string> = new Map([
  ['missing_api_key', 'This model needs a key.'],
  ['unsupported_model', 'No provider is known for this model.'],
  ['invalid_request', 'The service does not take this request.'],
]);

/** Names the vendor whose key the model needs; null if the model's name does not show it. */
function providerOf({ provider, modelName }: RunLlmConfig): string | null {
  if (provider) return provider;
  if (/^claude/i.test(modelName)) return 'anthropic';
  return /^(?:gpt|o\d)/i.test(modelName) ? 'openai' : null;
}

type Hint = (provider: string | null, cause: string | undefined) => string;

/** Advice by code; `cause` is the code of the first detail. */
const hints: Readonly<Record<string, Hint>> = {
  missing_api_key: (provider) =>
    `Pass the key as llmKey to StepwiseClient, for example from the variable ${keyVariable(provider)}; without a key, use the model "offline".`,
  malformed_api_key: (provider) =>
    `Check llmKey of StepwiseClient: is the variable ${keyVariable(provider)} set, without quotes or line ends?`,
  upstream_authentication_failed: (provider) =>
    `Check llmKey of StepwiseClient: is the variable ${keyVariable(provider)} set to a valid key of ${provider ?? 'the provider'}?`,
  upstream_permission_denied: () => 'Use a key (llmKey of StepwiseClient) that may use this model.',
  upstream_billing: () => 'Add credit to the account of the key, or pass another llmKey to StepwiseClient.',
  upstream_model_not_found: () => 'Check llmConfig.modelName and llmConfig.provider.',
  upstream_unreachable: () => 'Check the address of the provider in the settings of the service (UPSTREAMS).',
  unsupported_model: () =>
    'Check llmConfig.modelName, or name its provider in llmConfig.provider; client.models() lists what the service can reach.',
  token_budget_exceeded: () => 'Raise llmConfig.tokenLimit, or send less context and fewer tools.',
  upstream_context_length_exceeded: () => 'Lower llmConfig.tokenLimit to the context window of the model.',
  output_truncated: () => 'Raise llmConfig.reservedOutputTokens.',
  unauthenticated: () =>
    'Pass the token of the service as token to StepwiseClient, for example from the variable STEPWISE_TOKEN.',
  forbidden: () => 'Ask the operator of the service to allow this to your token.',
  invalid_answer: () => 'Check baseUrl of StepwiseClient: it must be the address of a Stepwise service.',
  service_unreachable: (_, cause) =>
    cause === undefined || cause === 'refused'
      ? 'Check that a service is running at baseUrl of StepwiseClient.'
      : 'Check baseUrl of StepwiseClient.',
  service_timeout: () => 'Raise timeoutMs of StepwiseClient if the model needs longer.',
  malformed_action: () => 'Try another protocol ("json" or "native"), or a stronger model.',
  answer_mismatch: () => 'Simplify answerSchema, or use a stronger model.',
};

const keyVariable = (provider: string | null): string => keyVariables.get(provider) ?? 'STEPWISE_LLM_KEY';

const keyVariables: ReadonlyMap<string | null, string> = new Map([
  ['openai', 'OPENAI_API_KEY'],
  ['anthropic', 'ANTHROPIC_API_KEY'],
]);

const hintFor = ({ code, details }: StepError, provider: string | null): string | null =>
  Object.hasOwn(hints, code) ? (hints[code]?.(provider, details[0]?.code) ?? null) : null;
