import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type Socket } from 'node:net';
import { listen } from './listen.js';

/** Returns the port of this machine to which a tunnel to `host` leads, whatever that host is. */
type PortFor = (host: string) => number;

/** Handles a request for a tunnel by failing in some way, instead of opening the tunnel. */
type Fault = (socket: Socket) => unknown;

/** A proxy that records the requests for tunnels. */
export interface ConnectProxy {
  readonly url: string;
  /** The requests for tunnels. The `url` of each is the requested host and port. */
  readonly tunnels: readonly IncomingMessage[];
  close(): void;
}

/**
 * Starts a proxy on loopback; with a certificate, one that speaks TLS itself. It answers every request that is not
 * `CONNECT` with 400.
 */
export async function startConnectProxy(
  portFor: PortFor,
  fault?: Fault,
  certificate?: { readonly key: Buffer; readonly cert: Buffer },
): Promise<ConnectProxy> {
  const tunnels: IncomingMessage[] = [];
  const sockets = new Set<Socket>();
  const refuse: RequestListener = (_, response) => response.writeHead(400).end();
  const server = certificate ? createTlsServer(certificate, refuse) : createServer(refuse);
  server.on('connection', (socket: Socket) => sockets.add(socket));
  server.on('connect', (request: IncomingMessage, socket: Socket) => {
    tunnels.push(request);
    socket.on('error', () => {});
    if (fault) return void fault(socket);
    const target = connect(portFor(request.url ?? ''), '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
      target.pipe(socket).pipe(target);
    });
    target.on('error', () => socket.destroy()).on('close', () => socket.destroy());
  });
  const address = await listen(server);
  const url = certificate ? address.replace('http:', 'https:') : address;
  const close = (): void => {
    for (const socket of sockets) socket.destroy();
    server.close();
  };
  return { url, tunnels, close };
}

/** Ways in which proxies fail, by name. */
export const proxyFaults: Readonly<Record<string, Fault>> = {
  'refuses with 403': (socket) => socket.end('HTTP/1.1 403 Forbidden\r\n\r\n'),
  'asks for credentials with 407': (socket) =>
    socket.end(
      'HTTP/1.1 407 Proxy Authentication Required\r\nProxy-Authenticate: Basic realm="x"\r\ncontent-length: 4\r\n\r\nsign',
    ),
  'answers 502 with a page': (socket) =>
    socket.end('HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/html\r\ncontent-length: 6\r\n\r\n<html>'),
  'redirects to a login page': (socket) =>
    socket.end('HTTP/1.1 302 Found\r\nlocation: http://login.example/\r\n\r\n'),
  'answers without HTTP': (socket) => socket.end('SSH-2.0-OpenSSH_9.2\r\n'),
  'hangs up': (socket) => socket.destroy(),
  'hangs up in its answer': (socket) => socket.write('HTTP/1.1 200 Connec', () => socket.destroy()),
  'answers 200 and sends a page': (socket) =>
    socket.end('HTTP/1.1 200 OK\r\ncontent-type: text/html\r\n\r\n<html><body>Sign in</body></html>'),
  'sends headers without end': (socket) => socket.write(`HTTP/1.1 200 OK\r\nx: ${'x'.repeat(100_000)}`),
};

/** Opens the tunnel and then closes the connection at once. */
export const breakTunnel: Fault = (socket) =>
  socket.write('HTTP/1.1 200 Connection Established\r\n\r\n', () => socket.destroy());
