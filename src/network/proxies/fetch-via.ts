import type { Agent } from 'undici';
import { type ProxyFor, proxiesFrom } from './proxies.js';
import { readProxies } from './proxy-settings.js';

/**
 * Returns a `fetch` that honours `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` of an environment, by default that of the
 * process. Loopback addresses never use a proxy. Throws `TypeError` that names a wrong variable.
 */
export const proxyFetch = (
  environment: Readonly<Record<string, string | undefined>> = process.env,
): typeof fetch => fetchVia(proxiesFrom(readProxies(environment)));

/**
 * Returns a `fetch` that reaches each server as the settings say: directly with the global `fetch`, or through a proxy.
 * Redirects are followed through the same proxy.
 */
export function fetchVia(proxyFor: ProxyFor): typeof fetch {
  const agents = new Map<string, Agent>();
  return async (input, init) => {
    const proxy = proxyFor(new URL(input instanceof Request ? input.url : input));
    if (proxy === undefined) return fetch(input, init);
    // Loaded when it is needed, because most machines have no proxy.
    const [undici, { tunnelVia }] = await Promise.all([import('undici'), import('./tunnel.js')]);
    const dispatcher = agents.get(proxy) ?? new undici.Agent({ connect: tunnelVia(proxy) });
    agents.set(proxy, dispatcher);
    const [url, parts] = input instanceof Request ? [input.url, partsOf(input)] : [input, {}];
    // The declarations of the two functions differ, although both implement the same standard.
    return (undici.fetch as unknown as FetchOfUndici)(url, { ...parts, ...init, dispatcher });
  };
}

type FetchOfUndici = (
  url: string | URL,
  init: Omit<RequestInit, 'dispatcher'> & { readonly dispatcher: Agent },
) => Promise<Response>;

/** Returns the parts of a request, because undici does not accept an object of the global class. */
const partsOf = ({ method, headers, body, signal, redirect }: Request): RequestInit => ({
  method,
  headers,
  signal,
  redirect,
  ...(body && { body, duplex: 'half' }),
});
