import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { answerRequest, type Respond } from './answer-request.js';
import { deliver } from './deliver.js';
import { type OpenExchange, openExchange } from './record-request.js';
import type { RecordedRequest } from './wire/reply.js';

/** A provider on 127.0.0.1, at a port that the operating system chooses. */
export interface LoopbackServer {
  /** `http://127.0.0.1:port`; OpenAI clients add `/v1`. */
  readonly url: string;
  /** Returns the number of open connections, including idle ones. */
  openSockets(): number;
  /** Breaks all connections at once and stops listening. */
  close(): Promise<void>;
  /** Lets the process end even while the server listens. */
  unref(): void;
}

/** Starts a server on loopback, which answers each request in the protocol that its path belongs to. */
export async function startLoopbackServer(
  respond: Respond,
  record: (request: RecordedRequest) => void = () => {},
): Promise<LoopbackServer> {
  const open = new Set<OpenExchange>();
  // The server keeps idle connections open longer than its client does. Otherwise it could close a connection on
  // which the client has just sent a request.
  const server = createServer({ keepAliveTimeout: 65_000 }, (incoming, response) => {
    void serve({ incoming, response, respond, record, open });
  });
  const sockets = trackSockets(server);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Cast: a server that listens on a port has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    openSockets: () => sockets.size,
    unref() {
      server.unref();
      for (const socket of sockets) socket.unref();
      server.on('connection', (socket) => socket.unref());
    },
    async close() {
      if (!server.listening) return;
      const closed = [server, ...sockets].map(closing);
      server.close();
      for (const exchange of open) exchange.hangUp();
      for (const socket of sockets) socket.destroy();
      await Promise.all(closed);
    },
  };
}

/** Resolves when a server or a socket emits `close`, even after an error such as a reset. */
const closing = (each: Server | Socket): Promise<void> =>
  new Promise((resolve) => each.once('close', () => resolve()));

function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly response: ServerResponse;
  readonly respond: Respond;
  readonly record: (request: RecordedRequest) => void;
  readonly open: Set<OpenExchange>;
}

async function serve({ incoming, response, respond, record, open }: Exchange): Promise<void> {
  const rawBody = await text(incoming).catch(() => '');
  const exchange = openExchange({ incoming, response, rawBody });
  open.add(exchange);
  void exchange.request.ended.then(() => open.delete(exchange));
  record(exchange.request);
  await deliver(answerRequest(exchange.request, respond), exchange).catch(() => {
    if (exchange.signal.aborted) return;
    exchange.hangUp();
    response.destroy();
  });
}
