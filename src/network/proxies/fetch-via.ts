import type { Agent } from 'undici';
import { trusting } from './authorities.js';
import { type ProxySettings, proxiesFrom } from './proxies.js';
import { readProxies } from './proxy-settings.js';

/**
 * Returns a `fetch` that honours `HTTPS_PROXY`, `HTTP_PROXY` and `NO_PROXY` of an environment, by default that of
 * the process. Loopback addresses never use a proxy. Throws `TypeError` that names the variable whose value is
 * wrong.
 */
export const proxyFetch = (
  environment: Readonly<Record<string, string | undefined>> = process.env,
  options?: ConnectOptions,
): typeof fetch => fetchVia(readProxies(environment), options);

/** Options for connections. */
export interface ConnectOptions {
  /**
   * Time limit for a proxy to open a tunnel to the server, and then again for the TLS handshake through this tunnel.
   * Default: 10,000.
   */
  readonly connectTimeoutMs?: number | undefined;
  /** Certificates to trust in addition to the usual ones, in PEM. */
  readonly authority?: string | undefined;
}

/**
 * Returns a `fetch` that reaches each server directly or through a proxy, as the settings require. Redirects are
 * followed in the same way. If any proxy is set, direct connections do not use the global `fetch` either, because
 * with `NODE_USE_ENV_PROXY` Node.js sends even loopback addresses to the proxy.
 */
export function fetchVia(settings: ProxySettings, options: ConnectOptions = {}): typeof fetch {
  const { authority, connectTimeoutMs } = options;
  const hasProxy = settings.HTTP_PROXY !== undefined || settings.HTTPS_PROXY !== undefined;
  if (!hasProxy && authority === undefined) return fetch;
  const proxyFor = proxiesFrom(settings);
  const agents = new Map<string | undefined, Agent>();
  return async (input, init) => {
    const proxy = proxyFor(new URL(input instanceof Request ? input.url : input));
    // These modules are loaded on demand, because most machines have no proxy.
    const [undici, { tunnelVia }] = await Promise.all([import('undici'), import('./tunnel.js')]);
    const trusted = trusting(authority);
    const connect = proxy === undefined ? trusted : tunnelVia(proxy, { connectTimeoutMs, ...trusted });
    const dispatcher = agents.get(proxy) ?? new undici.Agent({ connect });
    agents.set(proxy, dispatcher);
    const [url, parts] = input instanceof Request ? [input.url, partsOf(input)] : [input, {}];
    // Cast: the type declarations of the two `fetch` functions differ, although both implement the same standard.
    return (undici.fetch as unknown as FetchOfUndici)(url, { ...parts, ...init, dispatcher });
  };
}

type FetchOfUndici = (
  url: string | URL,
  init: Omit<RequestInit, 'dispatcher'> & { readonly dispatcher: Agent },
) => Promise<Response>;

/** Returns the parts of a request, because undici does not accept a `Request` of the global class. */
const partsOf = ({ method, headers, body, signal, redirect }: Request): RequestInit => ({
  method,
  headers,
  signal,
  redirect,
  ...(body && { body, duplex: 'half' }),
});
