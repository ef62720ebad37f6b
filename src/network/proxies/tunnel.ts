import http from 'node:http';
import https from 'node:https';
import { isIP, type Socket } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import { buildConnector } from 'undici';
import { basicAuthorization } from '../basic-authorization.js';
import { connectionFailureOf, PROXY_FAILED } from '../connection-problem.js';
import { withTimeLimit } from '../time-limit.js';

const CONNECT_TIMEOUT_MS = 10_000;

interface TunnelOptions {
  /** Certificates to trust instead of the usual ones, in PEM. They apply to the server, not to the proxy. */
  readonly ca?: ConnectionOptions['ca'];
  /** Time limit for the proxy to open the tunnel, and then again for the TLS handshake through it. Default: 10,000. */
  readonly connectTimeoutMs?: number | undefined;
  /** Closes the connection, in whichever phase it is. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Returns a connector for undici's clients that opens a tunnel through a proxy (`CONNECT`) for each connection.
 * Its errors name the proxy. undici's own `ProxyAgent` is not used: it repeats `CONNECT` endlessly if the proxy
 * hangs up, and waits five minutes for a proxy that does not answer.
 */
export function tunnelVia(
  proxy: string,
  { connectTimeoutMs = CONNECT_TIMEOUT_MS, signal, ...trusted }: TunnelOptions = {},
): buildConnector.connector {
  const startTls = buildConnector({ timeout: connectTimeoutMs, ...trusted });
  return (target, callback) => {
    const limited = signal ? withTimeLimit(signal, connectTimeoutMs) : AbortSignal.timeout(connectTimeoutMs);
    openTunnel(new URL(proxy), target, limited)
      .then((socket) => {
        closeOnAbort(socket, signal);
        if (target.protocol === 'https:') startTls({ ...target, httpSocket: socket }, callback);
        else callback(null, socket);
      })
      .catch((error: Error) => callback(error, null));
  };
}

function closeOnAbort(socket: Socket, signal: AbortSignal | undefined): void {
  const close = (): void => void socket.destroy();
  if (signal?.aborted) close();
  signal?.addEventListener('abort', close);
  socket.once('close', () => signal?.removeEventListener('abort', close));
}

function openTunnel(
  proxy: URL,
  { host, hostname, port, protocol }: buildConnector.Options,
  signal: AbortSignal,
): Promise<Socket> {
  const place = port ? (host ?? `${hostname}:${port}`) : `${host ?? hostname}:${defaultPorts[protocol]}`;
  const { request } = proxy.protocol === 'https:' ? https : http;
  const authorization = basicAuthorization(proxy);
  const proxyHost = proxy.hostname.replace(/^\[|\]$/g, '');
  return new Promise((resolve, reject) => {
    request({
      method: 'CONNECT',
      host: proxyHost,
      // Without a server name, Node.js would compare the proxy's certificate with the header `host`. For an IP
      // address, there is no server name.
      servername: isIP(proxyHost) > 0 ? '' : proxyHost,
      port: proxy.port,
      path: place,
      headers: { host: place, ...(authorization && { 'proxy-authorization': authorization }) },
      agent: false,
      signal,
    })
      .once('connect', ({ statusCode }, socket, head) => {
        // In an open tunnel, the client always sends first. Data that arrives before that is an error page of the
        // proxy.
        if (statusCode === 200 && head.length === 0) return resolve(socket);
        socket.destroy();
        reject(proxyFailed(new Error(`The proxy answered CONNECT with ${statusCode}.`)));
      })
      .once('error', (error) => reject(proxyFailed(error)))
      .end();
  });
}

const defaultPorts: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * Wraps an error in one that names the proxy as the cause; otherwise it would look like an error of the server.
 * Returns TLS errors unchanged.
 */
function proxyFailed(cause: Error): Error {
  if (connectionFailureOf(cause)?.problem.startsWith('tls_')) return cause;
  return Object.assign(new Error('The proxy failed.', { cause }), { code: PROXY_FAILED });
}
