import type { ErrorDetail, StepError } from '../../contract/step.js';

/** The reason why a run failed: an error of the service or of the client, with advice. */
export interface RunError extends StepError {
  /** Advice for the developer: the option, variable or address to check; null if the message says it all. */
  readonly hint: string | null;
}

/** Name of a model, and its provider if the caller named one. */
interface ModelName {
  readonly modelName: string;
  readonly provider?: string | null | undefined;
}

/** Adds advice to an error of a run with this model. The advice depends on the error code. */
export const withHint = (error: StepError, model: ModelName): RunError => ({
  ...error,
  hint: hintFor(error, error.provider ?? providerOf(model)),
});

/**
 * Returns the error of a run in one sentence, with its first detail and its code. Names the SDK's options instead of
 * the request's fields.
 */
export function describeError(error: StepError): string {
  const [detail] = error.details;
  const cause = detail ? ` ${inOptionWords(detail)}` : '';
  return `${sentenceOf(error)}${cause} (${error.code})`;
}

/**
 * Returns the message of a failed call of the client: the sentence, the details and the advice. All of them name fields
 * of the request, because the caller of the method set these and not the options of a run.
 */
export function describeFailure(error: StepError): string {
  const shown = error.details.slice(0, MAX_DETAILS).map(detailText);
  const hidden = error.details.length - shown.length;
  const details = [...shown, ...(hidden > 0 ? [`${hidden} more in details`] : [])].join('; ');
  const hint = hintFor(error, error.provider)?.replaceAll('llmConfig', 'llm_config') ?? '';
  return [sentenceOf(error), details && withStop(details), hint].filter(Boolean).join(' ');
}

const MAX_DETAILS = 3;
const MAX_DETAIL_CHARS = 300;

/** Returns the sentence without its end "see details", because the details follow. */
const sentenceOf = ({ code, message }: StepError): string =>
  sentences.get(code) ?? message.replace(/; see details\.$/, '.');

const withStop = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);

/** Returns a detail on one line. Its text may come from a provider. */
function detailText({ path, source, message }: ErrorDetail): string {
  const text = source === 'provider' ? `The provider said: ${message}` : message;
  const line = ((path ? `${path}: ` : '') + text).replace(/[\s\p{Cc}]+/gu, ' ');
  return line.length > MAX_DETAIL_CHARS ? `${line.slice(0, MAX_DETAIL_CHARS)}…` : line;
}

/** Returns a detail that names the options of the SDK instead of the fields of the request. */
function inOptionWords(detail: ErrorDetail): string {
  const text = detailText(detail);
  return detail.source === 'provider'
    ? text
    : text.replace(wireNames, (name) => optionNames.get(name) ?? name);
}

const optionNames: ReadonlyMap<string, string> = new Map([
  ['llm_config', 'llmConfig'],
  ['user_query', 'task'],
  ['conversation_history', 'history'],
  ['explicit_context_paths', 'context.paths'],
  ['pinned_item_ids_to_include', 'context.pinned'],
  ['implicit_context', 'context.focus'],
  ['vector_search_results_to_include', 'context.vectorResults'],
  ['inline_context', 'context.inline'],
  ['max_iterations_left', 'maxSteps'],
  ['answer_schema', 'answerSchema'],
  ['phase_instructions', 'phaseInstructions'],
  ['project_id', 'projectId'],
  ['session_id', 'sessionId'],
]);
const wireNames = new RegExp(`\\b(?:${[...optionNames.keys()].join('|')})\\b`, 'g');

/** Sentences by code that replace the service's messages, which use terms of the HTTP API. */
const sentences: ReadonlyMap<string, string> = new Map([
  ['missing_api_key', 'This model needs a key.'],
  ['unsupported_model', 'No provider is known for this model.'],
  ['invalid_request', 'The service rejected this request.'],
]);

/** Names the vendor whose key the model needs; null if the model's name does not show it. */
function providerOf({ provider, modelName }: ModelName): string | null {
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
  forbidden: () => 'Ask the operator of the service to allow this for your token.',
  not_found: () =>
    'Check baseUrl of StepwiseClient: it is the address of the service, without the path of an endpoint.',
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
