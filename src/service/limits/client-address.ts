import { isIP, isIPv4 } from 'node:net';

/** Groups of an IPv6 address that name the network of one customer; the rest is theirs to choose. */
const NETWORK_GROUPS = 4;
const ALL_GROUPS = 8;

/**
 * Whom an address stands for, in one spelling: IPv4 as it is, IPv6 by its first 64 bits, since one customer has all the
 * rest. Undefined for what is no address. A port, as some proxies write it, is left out.
 */
export function clientAddress(text: string | undefined): string | undefined {
  const address = withoutPort(text?.trim() ?? '').replace(/%.*$/, '');
  const mapped = /^::ffff:([\d.]+)$/i.exec(address)?.[1] ?? address;
  if (isIPv4(mapped)) return mapped;
  return isIP(address) === 6 ? networkOf(address) : undefined;
}

const withoutPort = (text: string): string =>
  /^\[(.*)\](?::\d+)?$/.exec(text)?.[1] ?? text.replace(/^([\d.]+):\d+$/, '$1');

function networkOf(address: string): string {
  const [head = [], tail = []] = address
    .toLowerCase()
    .split('::')
    .map((part) => part.split(':').filter(Boolean));
  const zeros = Array<string>(Math.max(0, ALL_GROUPS - head.length - tail.length)).fill('0');
  const groups = [...head, ...zeros, ...tail].slice(0, NETWORK_GROUPS);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

const namedRanges = ['loopback', 'linklocal', 'uniquelocal'];

/** Whether a text names a proxy as Express understands it: an address, a range of them, or a range by its name. */
export function isProxy(text: string): boolean {
  const [address = '', bits, ...more] = text.split('/');
  const family = isIP(address);
  if (family === 0) return namedRanges.includes(text);
  if (bits === undefined) return true;
  return more.length === 0 && /^[1-9]\d{0,2}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
}
