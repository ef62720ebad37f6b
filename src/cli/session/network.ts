import { type ConnectOptions, proxyFetch } from '../../network/proxies/fetch-via.js';
import { type ClientOptions, StepwiseClient } from '../../sdk/client/stepwise-client.js';
import { UsageError } from '../commands/usage.js';

let shared: typeof fetch | undefined;

/**
 * Returns a `fetch` that honours the proxy variables of this process: the shared one, or with options a new one.
 * Throws `UsageError` that names a wrong variable.
 */
export function networkFetch(options?: ConnectOptions): typeof fetch {
  try {
    if (options) return proxyFetch(process.env, options);
    shared ??= proxyFetch();
    return shared;
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

/** Creates a client whose requests honour the proxy variables. Throws as `networkFetch` does. */
export const connectTo = (service: ClientOptions): StepwiseClient =>
  new StepwiseClient({ ...service, fetch: networkFetch() });
