import { setTimeout as wait } from 'node:timers/promises';
import { StepwiseClient } from '../../src/sdk/client/stepwise-client.js';

const PAUSE_MS = 200;

/**
 * Returns a client that repeats requests while the service responds with 503, as it may on a busy machine (rule:
 * overload).
 */
export function patientClient(baseUrl: string, llmKey?: string): StepwiseClient {
  const fetchAgain: typeof fetch = async (...given) => {
    for (;;) {
      const response = await fetch(...given);
      if (response.status !== 503) return response;
      await response.arrayBuffer();
      await wait(PAUSE_MS);
    }
  };
  return new StepwiseClient({ baseUrl, llmKey, fetch: fetchAgain });
}
