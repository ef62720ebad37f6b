import { setTimeout as wait } from 'node:timers/promises';
import { StepwiseClient } from '../../src/sdk/client/stepwise-client.js';

const PAUSE_MS = 200;

/** A client that comes again while the service says no: on a busy machine it may (rule: overload). */
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
