import { isIPv4 } from 'node:net';

/** Whether a host, in lower case and as a URL writes it, is this machine: `localhost`, 127.0.0.0/8 or `[::1]`. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '[::1]' || (host.startsWith('127.') && isIPv4(host));
