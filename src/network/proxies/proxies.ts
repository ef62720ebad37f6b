import { BlockList, isIP } from 'node:net';
import { isLoopback } from './loopback.js';

/** The settings of a company's proxy, by the names of their environment variables. */
export interface ProxySettings {
  /** URL of the proxy for http servers; its user and password, if any, are sent to the proxy. */
  readonly HTTP_PROXY?: string | undefined;
  /** URL of the proxy for https servers. */
  readonly HTTPS_PROXY?: string | undefined;
  /**
   * Hosts that are reached without a proxy, separated by commas: `internal.example`, `.example`, `10.0.0.0/8`,
   * `*`.
   */
  readonly NO_PROXY?: string | undefined;
}

/** Returns the URL of the proxy for a server; undefined if the connection is direct. */
export type ProxyFor = (server: URL) => string | undefined;

/**
 * Returns a function that chooses the proxy for a server as the settings say. Loopback addresses never use a proxy
 * (rule: proxies).
 */
export function proxiesFrom({ HTTP_PROXY, HTTPS_PROXY, NO_PROXY = '' }: ProxySettings): ProxyFor {
  const direct = NO_PROXY.toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .map(coverageOf);
  return (server) => {
    const place = placeOf(server);
    const proxy = server.protocol === 'https:' ? HTTPS_PROXY : HTTP_PROXY;
    if (proxy === undefined || isThisMachine(place.host)) return undefined;
    return direct.some((covers) => covers(place)) ? undefined : proxy;
  };
}

/** Host and port of a server. The host is written as in URLs, but without a dot at its end. */
interface Place {
  readonly host: string;
  readonly port: string;
}

const placeOf = ({ hostname, port, protocol }: URL): Place => ({
  host: withoutEndDot(hostname),
  port: port || (protocol === 'https:' ? '443' : '80'),
});

const withoutEndDot = (host: string): string => host.replace(/\.$/, '');

/**
 * Returns whether a host is this machine. Includes subdomains of localhost (RFC 6761 §6.3), 127.0.0.0/8 written as
 * IPv6 addresses, and the unspecified addresses such as 0.0.0.0.
 */
const isThisMachine = (host: string): boolean =>
  isLoopback(host) ||
  host.endsWith('.localhost') ||
  /^\[::ffff:7f[\da-f]{2}:[\da-f]{1,4}\]$/.test(host) ||
  ['0.0.0.0', '[::]'].includes(host);

/**
 * Returns a predicate for an entry of `NO_PROXY`, which is `*`, a range of addresses, or a host with all of its
 * subdomains, optionally with a port.
 */
function coverageOf(entry: string): (place: Place) => boolean {
  if (entry === '*') return () => true;
  const [, address = '', prefix] = /^\[?([\d.a-f:]+)\]?\/(\d{1,3})$/.exec(entry) ?? [];
  if (prefix !== undefined) return rangeOf(address, Number(prefix));
  const [, name = '', entryPort] = /^(.*?)(?::(\d+))?$/.exec(bracketed(entry)) ?? [];
  const suffix = asInUrls(name.replace(/^\*?\./, ''));
  return ({ host, port }) =>
    (entryPort === undefined || entryPort === port) && (host === suffix || host.endsWith(`.${suffix}`));
}

/**
 * Returns a predicate for the addresses in a range such as 10.0.0.0/8. Host names never match, because they are
 * not resolved here. If the text is not a range, nothing matches.
 */
function rangeOf(address: string, prefix: number): (place: Place) => boolean {
  const range = new BlockList();
  try {
    range.addSubnet(address, prefix, familyOf(address));
  } catch {
    return () => false;
  }
  return ({ host }) => {
    const bare = host.replace(/^\[|\]$/g, '');
    return isIP(bare) > 0 && range.check(bare, familyOf(bare));
  };
}

const familyOf = (address: string): 'ipv4' | 'ipv6' => (address.includes(':') ? 'ipv6' : 'ipv4');

/** Encloses an IPv6 address in brackets, as in URLs, if it has none. */
const bracketed = (entry: string): string =>
  /^[\da-f:]*:[\da-f:]*:[\da-f:]*$/.test(entry) ? `[${entry}]` : entry;

/** Returns a host as URLs write it: an international name in ASCII, an address in its shortest form. */
const asInUrls = (host: string): string =>
  withoutEndDot(URL.canParse(`http://${host}`) ? new URL(`http://${host}`).hostname : host);
