import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { answerClientError, RefusedConnections } from './failure/answer-client-error.js';

/** Maximum number of pipelined requests that may wait on one connection. Clients normally send one at a time. */
const MAX_WAITING_REQUESTS = 40;

export interface ServerLimits {
  readonly headersTimeout?: number;
  readonly requestTimeout?: number;
  readonly connectionsCheckingInterval?: number;
  /** Time in milliseconds after which a connection is closed if its caller reads nothing of a response. */
  readonly unreadTimeout?: number;
}

/**
 * Creates the HTTP server in front of the app, with limits that Node does not set by default: slow headers and
 * slow bodies end in seconds, unread responses in a minute. Idle connections outlive those of common balancers (60
 * s), so a balancer never sends a request on a connection that we are closing.
 */
export function createServer(
  app: RequestListener,
  { unreadTimeout = 60_000, ...limits }: ServerLimits = {},
  refused = new RefusedConnections(),
): Server {
  const connections = new Connections(app, refused);
  const answer: RequestListener = (request, response) => connections.answer(request, response);
  return (
    createHttpServer({
      headersTimeout: 10_000,
      // The app itself responds to slow bodies; this limit ends a caller who stays connected anyway.
      requestTimeout: 40_000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16 * 1024,
      // The app itself rejects requests without a Host header, because Node's responses have no body and are not
      // logged.
      requireHostHeader: false,
      ...limits,
    })
      .setTimeout(unreadTimeout)
      .on('request', answer)
      // A request with another `Expect` header is handled as if it had none, as RFC 9110 §10.1.1 allows.
      .on('checkExpectation', answer)
      .on('clientError', (error, socket) => connections.fail(error, socket))
  );
}

interface Connection {
  /** The response in progress; undefined between two requests. */
  pending: ServerResponse | undefined;
  readonly waiting: [IncomingMessage, ServerResponse][];
  /** True after invalid HTTP, which the parser reports again with all further bytes. */
  isBroken?: boolean;
}

/**
 * Handles the requests of a connection one after the other. If several were in progress, then on a disconnect Node
 * would close only the response that owns the socket, and the other requests would keep their slots forever
 * (rule: caller-leaves).
 */
class Connections {
  readonly #app: RequestListener;
  readonly #refused: RefusedConnections;
  readonly #connections = new WeakMap<Duplex, Connection>();

  constructor(app: RequestListener, refused: RefusedConnections) {
    this.#app = app;
    this.#refused = refused;
  }

  answer(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.#connections.get(socket) ?? { pending: undefined, waiting: [] };
    this.#connections.set(socket, connection);
    if (!connection.pending) this.#begin(connection, request, response);
    else if (connection.waiting.length < MAX_WAITING_REQUESTS) connection.waiting.push([request, response]);
    else if (!socket.destroyed) {
      this.#refused.counts.too_many_requests += 1;
      socket.destroy();
    }
  }

  fail(error: NodeJS.ErrnoException, socket: Duplex): void {
    const connection = this.#connections.get(socket);
    if (connection?.isBroken && error.code !== 'ECONNRESET') return;
    if (connection) connection.isBroken = true;
    this.#refused.add(error);
    answerClientError(error, socket, connection?.pending);
  }

  /**
   * Starts a request. Does nothing if the socket is not writable because the last response announced the end of the
   * connection (RFC 9112 §9.6).
   */
  #begin(connection: Connection, request: IncomingMessage, response: ServerResponse): void {
    if (!request.socket.writable) return;
    connection.pending = response;
    response.on('timeout', endUnread).once('close', () => {
      connection.pending = undefined;
      const next = connection.waiting.shift();
      if (next) this.#begin(connection, ...next);
    });
    this.#app(request, response);
  }
}

/**
 * Closes a connection on which the caller has stopped reading. Keeps it open if the response is still being computed.
 */
function endUnread(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy();
}
