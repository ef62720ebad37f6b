import type { StepError } from 'stepwise';
import type { Remedy } from './conversation-view.js';

/** A failure in one sentence with its remedy, and the command that applies it, if there is one. */
export interface Explanation {
  readonly sentence: string;
  readonly remedy: Remedy | null;
}

const setKey: Remedy = { label: 'Set model key', command: 'stepwise.setModelKey' };
const setToken: Remedy = { label: 'Set service token', command: 'stepwise.setServiceToken' };
const openSettings: Remedy = { label: 'Open settings', command: 'stepwise.openSettings' };

/** The server responds in Stepwise's format but rejects the request: it lacks features that this extension needs. */
const OTHER_VERSION: Explanation = {
  sentence:
    'The service is older than this extension: update it, or point stepwise.serviceUrl to a newer one.',
  remedy: openSettings,
};

const explanations: ReadonlyMap<string, Explanation> = new Map([
  ['unauthenticated', { sentence: 'The service requires a token, or rejects yours.', remedy: setToken }],
  [
    'forbidden',
    { sentence: 'Your token does not allow this; ask the service’s operator.', remedy: setToken },
  ],
  ['missing_api_key', { sentence: 'This model needs a key.', remedy: setKey }],
  ['malformed_api_key', { sentence: 'The model key has invalid characters: set it again.', remedy: setKey }],
  ['upstream_authentication_failed', { sentence: 'The provider rejects the model key.', remedy: setKey }],
  ['upstream_permission_denied', { sentence: 'The model key does not allow this model.', remedy: setKey }],
  ['upstream_model_not_found', { sentence: 'The provider does not know this model.', remedy: openSettings }],
  [
    'unsupported_model',
    {
      sentence: 'The service knows no provider for this model: set stepwise.upstream.',
      remedy: openSettings,
    },
  ],
  [
    'token_budget_exceeded',
    { sentence: 'Even the shortest prompt does not fit: raise stepwise.tokenLimit.', remedy: openSettings },
  ],
  [
    'upstream_context_length_exceeded',
    {
      sentence: 'The prompt is longer than the model takes: lower stepwise.tokenLimit.',
      remedy: openSettings,
    },
  ],
  [
    'service_timeout',
    { sentence: 'The service did not answer in time. Ask again to continue.', remedy: null },
  ],
  [
    'invalid_answer',
    { sentence: 'The server at stepwise.serviceUrl is not Stepwise.', remedy: openSettings },
  ],
  ['not_found', OTHER_VERSION],
  ['method_not_allowed', OTHER_VERSION],
  ['overloaded', { sentence: 'The service is overloaded. Ask again in a moment to continue.', remedy: null }],
  [
    'shutting_down',
    { sentence: 'The service is shutting down. Send the task again when it runs.', remedy: null },
  ],
]);

const SERVICE_UNREACHABLE: Explanation = {
  sentence: 'The service does not answer: start it with “stepwise serve”, or check stepwise.serviceUrl.',
  remedy: { label: 'Check again', command: 'stepwise.checkService' },
};

export function explainFailure(
  error: Pick<StepError, 'code' | 'message' | 'retry_after_ms'> & Partial<Pick<StepError, 'details'>>,
): Explanation {
  const { code, message, retry_after_ms, details } = error;
  if (code === 'service_unreachable') return SERVICE_UNREACHABLE;
  if (code === 'rate_limited' || code === 'upstream_rate_limited') {
    const whose = code === 'rate_limited' ? 'the service' : 'the provider';
    const wait = retry_after_ms === null ? 'in a moment' : `in ${timeOf(retry_after_ms)}`;
    return { sentence: `Too many requests for ${whose}. Ask again ${wait} to continue.`, remedy: null };
  }
  if (code === 'invalid_request') {
    const [reason] = details ?? [];
    const what = reason ? ` (${[reason.path, reason.message].filter(Boolean).join(': ')})` : '';
    return {
      sentence: `The service rejected this request${what}. It may be older than this extension.`,
      remedy: null,
    };
  }
  return explanations.get(code) ?? { sentence: message, remedy: null };
}

/** Formats a waiting time for people. */
export function timeOf(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1_000);
  if (seconds < 100) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 100 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}
