import { setTimeout as wait } from 'node:timers/promises';
import { StepwiseClient } from '../../src/sdk/client/stepwise-client.js';

const PAUSE_MS = 200;

/** Creates a client that retries while the service answers 503, which happens on a busy machine (rule: overload). */
export function patientClient(baseUrl: string, llmKey?: string): StepwiseClient {
  const fetchUntilAccepted: typeof fetch = async (...given) => {
    for (;;) {
      const response = await fetch(...given);
      if (response.status !== 503) return response;
      await response.arrayBuffer();
      await wait(PAUSE_MS);
    }
  };
  return new StepwiseClient({ baseUrl, llmKey, fetch: fetchUntilAccepted });
}
