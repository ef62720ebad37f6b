import { isIPv4 } from 'node:net';

/**
 * Returns whether a host is this machine: `localhost`, 127.0.0.0/8 or `[::1]`. The host must be in lower case, as in
 * parsed URLs.
 */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || (host.startsWith('127.') && isIPv4(host));
