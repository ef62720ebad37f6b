import type { IncomingMessage } from 'node:http';
import { isLoopback } from '../../../network/proxies/loopback.js';
import { RequestRefused } from '../failure/to-failure.js';
import type { Preparation } from './request-state.js';

/** Rejects a request without `Host`, which only HTTP/1.0 may omit, or with more than one (RFC 9112 §3.2). */
export const requireHost: Preparation = (request) => {
  const hosts = hostsOf(request);
  if (hosts.length === 1 || (hosts.length === 0 && request.httpVersion === '1.0')) return;
  const message = 'expected exactly one Host header';
  throw new RequestRefused('invalid_request', [{ path: 'Host', code: 'malformed_http', message }]);
};

/**
 * Rejects requests whose `Host` is not a name of this machine (rule: own-host). After DNS rebinding, a foreign web
 * page can call this service as if it were same-origin, but it still sends its own host name.
 */
export const requireOwnHost: Preparation = (request) => {
  const hosts = hostsOf(request);
  if (hosts.length === 1 && hosts.every(isOwnHost)) return;
  const message =
    'this service only accepts local callers, with the host localhost, 127.0.0.1 or [::1]; to allow another host ' +
    'name, the operator sets AUTH_TOKENS_FILE';
  throw new RequestRefused('forbidden', [{ path: 'Host', code: 'foreign_host', message }]);
};

/** Returns every `Host` header. `request.headers` has only the first one, but a proxy may have used another. */
function hostsOf({ rawHeaders }: IncomingMessage): string[] {
  const hosts: string[] = [];
  for (let at = 0; at < rawHeaders.length; at += 2)
    if (rawHeaders[at]?.toLowerCase() === 'host') hosts.push(rawHeaders[at + 1] ?? '');
  return hosts;
}

const isOwnHost = (host: string): boolean => isLoopback(host.replace(/:\d{1,5}$/, '').toLowerCase());
