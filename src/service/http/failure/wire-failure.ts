import { errorCodes } from '../../../contract/error-codes.js';
import type { StepError } from '../../../contract/step.js';
import type { WireFailure } from '../../compat/wire.js';
import { BudgetExceeded, type PromptSize } from '../../step/interruption.js';
import { ProviderError } from '../../step/provider.js';
import type { RequestState } from '../middleware/request-state.js';
import type { Failure } from './to-failure.js';

/** Messages for callers of the compatible endpoints, in place of messages that name fields of our own contract. */
const sentences: Readonly<Record<string, string>> = {
  invalid_request: 'The request is invalid.',
  unsupported_model: 'No upstream is known for this model.',
  missing_api_key:
    'This model needs a key: send it as X-LLM-API-Key. A service without tokens also takes x-api-key and Authorization.',
  token_budget_exceeded: 'The prompt does not fit the token budget.',
};

/** Converts a failure to the data from which a compatible endpoint writes its error body (rule: compatible-errors). */
export function wireFailure(failure: Failure, { id, tooLong }: RequestState): WireFailure {
  const { code, details } = failure;
  return {
    failure,
    status: errorCodes[code].status,
    message: [sentences[code] ?? failure.message, ...sentencesOf(failure)].join(' '),
    param:
      (code === 'invalid_request' || code === 'unsupported_model' ? details[0]?.path : undefined) || null,
    tooLong: tooLong ?? null,
    requestId: id,
  };
}

/** Returns the details of a failure as sentences. */
export const sentencesOf = ({ details }: StepError): string[] =>
  details.map(({ path, message, source }) =>
    source === 'provider'
      ? `The provider said: ${message}`
      : sentence(path ? `${path}: ${message}` : message),
  );

const sentence = (text: string): string => (text.endsWith('.') ? text : `${text}.`);

/**
 * If the error is a prompt that is too long, returns the prompt's tokens and the maximum; otherwise undefined. If the
 * provider rejected a prompt that is within our limit, lowers the maximum below the prompt's tokens, because clients
 * compare the two.
 */
export function tooLongOf(
  thrown: unknown,
  { modelCalls, maxPromptTokens = 0 }: RequestState,
): PromptSize | undefined {
  if (thrown instanceof BudgetExceeded) return thrown.size;
  if (!(thrown instanceof ProviderError) || thrown.failure !== 'context_length') return undefined;
  const promptTokens = modelCalls.at(-1)?.promptTokens ?? 1;
  return { promptTokens, maxPromptTokens: Math.min(maxPromptTokens, promptTokens - 1) };
}
