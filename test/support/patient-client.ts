import { StepwiseClient } from '../../src/sdk/client/stepwise-client.js';
import { until } from './until.js';

/** Creates a client that retries while the service answers 503, which happens on a busy machine (rule: overload). */
export function patientClient(baseUrl: string, llmKey?: string): StepwiseClient {
  const fetchUntilAccepted: typeof fetch = (...given) =>
    until(
      () => fetch(...given),
      ({ status }) => status !== 503,
    );
  return new StepwiseClient({ baseUrl, llmKey, fetch: fetchUntilAccepted });
}
