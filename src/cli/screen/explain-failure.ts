import type { StepError } from '../../contract/step.js';
import { keyOrigin } from '../session/model-key.js';
import { showExactLine } from './visible-text.js';

/** Advice for the person at the terminal, by error code. */
const advice: Readonly<Record<string, string>> = {
  token_budget_exceeded: 'Raise --token-limit.',
  request_too_large: 'Shorten the task, or attach fewer or smaller files.',
  unsupported_model: 'Check --model, or name the endpoint that serves it with --upstream.',
  answer_mismatch: 'Simplify the schema of --answer-schema, or use a stronger model.',
  unauthenticated: 'Set STEPWISE_TOKEN to a token of that service.',
  forbidden: 'Ask the operator of that service.',
  rate_limited: 'Wait, or ask the operator of that service for a higher limit.',
  missing_api_key: 'Set STEPWISE_LLM_KEY.',
  upstream_model_not_found: 'Check --model and --upstream.',
  upstream_context_length_exceeded: 'Lower --token-limit.',
  upstream_unreachable: 'Check that the endpoint of the model is running.',
  service_unreachable: 'Check that a service is running at --server.',
};

/** Advice about the key in use, by error code. */
const keyAdvice: Readonly<Record<string, (origin: string) => string>> = {
  malformed_api_key: (origin) => `Check ${origin}: a key is 8 to 8192 visible characters.`,
  upstream_authentication_failed: (origin) => `Check ${origin}.`,
};

function adviceFor(code: string): string | undefined {
  if (Object.hasOwn(keyAdvice, code)) return keyAdvice[code]?.(keyOrigin());
  return Object.hasOwn(advice, code) ? advice[code] : undefined;
}

const MAX_DETAILS = 5;

/** Renders a failed step: the message, its details, and what to do about it. */
export function explainFailure({ code, message, details }: StepError): string {
  const rows = (details ?? [])
    .slice(0, MAX_DETAILS)
    .map(({ path, message: problem }) => `  ${showExactLine(path ? `${path}: ${problem}` : problem)}`);
  // The details of a failed connection already contain advice about its cause, so the general advice is omitted.
  const isExplained = code.endsWith('_unreachable') && rows.length > 0;
  const hint = isExplained ? undefined : adviceFor(code);
  return [`${showExactLine(message)} (${showExactLine(code)})`, ...rows, ...(hint ? [hint] : [])].join('\n');
}
