import { isLoopback } from '../loopback.js';

/** The settings of a company's proxy, by the names of their environment variables. */
export interface ProxySettings {
  /** URL of the proxy for http upstreams; its user and password, if any, are sent to the proxy. */
  readonly HTTP_PROXY?: string | undefined;
  /** URL of the proxy for https upstreams. */
  readonly HTTPS_PROXY?: string | undefined;
  /** Hosts that are reached directly, separated by commas: `internal.example`, `.example`, `10.0.0.7:8000`, `*`. */
  readonly NO_PROXY?: string | undefined;
}

/** Returns the URL of the proxy to use for an upstream; undefined to connect directly. */
export type ProxyFor = (upstream: URL) => string | undefined;

/** Chooses proxies by the settings. Loopback addresses never use one (rule: proxies). */
export function proxiesFrom({ HTTP_PROXY, HTTPS_PROXY, NO_PROXY = '' }: ProxySettings): ProxyFor {
  const direct = NO_PROXY.toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean);
  return (upstream) => {
    const proxy = upstream.protocol === 'https:' ? HTTPS_PROXY : HTTP_PROXY;
    if (proxy === undefined || isThisMachine(upstream.hostname)) return undefined;
    return direct.some((entry) => matches(entry, upstream)) ? undefined : proxy;
  };
}

/** Includes subdomains of localhost (RFC 6761 §6.3), and 127.0.0.0/8 as IPv6 addresses. */
const isThisMachine = (host: string): boolean =>
  isLoopback(host) || host.endsWith('.localhost') || /^\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\]$/.test(host);

/** Whether an entry of `NO_PROXY` covers a URL: a host with all of its subdomains, optionally with a port, or `*`. */
function matches(entry: string, { hostname, port, protocol }: URL): boolean {
  if (entry === '*') return true;
  const [, name = '', entryPort] = /^(.*?)(?::(\d+))?$/.exec(bracketed(entry)) ?? [];
  if (entryPort !== undefined && entryPort !== (port || defaultPorts[protocol])) return false;
  const suffix = name.replace(/^\*?\./, '');
  return hostname === suffix || hostname.endsWith(`.${suffix}`);
}

/** Puts an IPv6 address without brackets into brackets, as URLs have it. */
const bracketed = (entry: string): string =>
  /^[\da-f:]*:[\da-f:]*:[\da-f:]*$/.test(entry) ? `[${entry}]` : entry;

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };
