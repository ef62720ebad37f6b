import { StepwiseClient } from '../../src/sdk/client/stepwise-client.js';
import { until } from './until.js';

/**
 * Creates a client that retries as long as the service answers 503, which a busy machine can cause
 * (rule: overload).
 */
export function patientClient(baseUrl: string, llmKey?: string): StepwiseClient {
  const fetchUntilAccepted: typeof fetch = (...given) =>
    until(
      () => fetch(...given),
      ({ status }) => status !== 503,
    );
  return new StepwiseClient({ baseUrl, llmKey, fetch: fetchUntilAccepted });
}
