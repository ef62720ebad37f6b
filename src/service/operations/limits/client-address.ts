import { isIP, isIPv4 } from 'node:net';

/**
 * Number of groups at the beginning of an IPv6 address that identify a customer's network. The customer controls the
 * other groups.
 */
const NETWORK_GROUPS = 4;
const ALL_GROUPS = 8;

/**
 * Returns the caller behind an address: an IPv4 address unchanged, an IPv6 address by its first 64 bits, because one
 * customer controls all other bits. Returns undefined if the text is not an address. Ignores a port, which some
 * proxies add.
 */
export function clientAddress(text: string | undefined): string | undefined {
  const address = withoutPort(text?.trim() ?? '').replace(/%.*$/, '');
  if (isIPv4(address)) return address;
  return isIP(address) === 6 ? clientOf(groupsOf(address)) : undefined;
}

const withoutPort = (text: string): string =>
  /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, '$1');

/**
 * Returns the IPv4 address that is mapped into an IPv6 address (RFC 4291 §2.5.5.2); for any other address, its
 * network.
 */
function clientOf(groups: readonly number[]): string {
  const isMapped = groups.slice(0, 6).join() === '0,0,0,0,0,65535';
  if (isMapped) return groups.slice(6).flatMap(bytesOf).join('.');
  const network = groups.slice(0, NETWORK_GROUPS).map((group) => group.toString(16));
  return `${network.join(':')}::/64`;
}

const bytesOf = (group: number): [number, number] => [group >> 8, group & 0xff];

/** Parses the eight groups of an IPv6 address in any notation. */
function groupsOf(address: string): number[] {
  const [head = [], tail = []] = address
    .replace(/\d+\.[\d.]+$/, inHex)
    .split('::')
    .map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(Math.max(0, ALL_GROUPS - head.length - tail.length)).fill('0');
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}

/** Converts `1.2.3.4` to its two groups, `102:304`. */
function inHex(ipv4: string): string {
  const [a = 0, b = 0, c = 0, d = 0] = ipv4.split('.').map(Number);
  return [a * 256 + b, c * 256 + d].map((group) => group.toString(16)).join(':');
}

const namedRanges = ['loopback', 'linklocal', 'uniquelocal'];

/** Returns whether Express accepts a text as a proxy: an address, a range of addresses, or the name of a range. */
export function isProxy(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0) return namedRanges.includes(text);
  if (bits === undefined) return true;
  return more.length === 0 && /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}
