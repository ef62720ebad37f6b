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

/** Requests of one connection that may wait while an earlier one is answered (pipelining); clients send one at a time. */
const MAX_WAITING_REQUESTS = 40;

export interface ServerLimits {
  readonly headersTimeout?: number;
  readonly requestTimeout?: number;
  readonly connectionsCheckingInterval?: number;
  /** Time after which a connection ends if its caller takes nothing of an answer, in milliseconds as the others. */
  readonly unreadTimeout?: number;
}

/**
 * Creates the server in front of the app, with the limits that Node leaves open: slow headers and slow bodies end in seconds,
 * answers that nobody takes in a minute, and idle connections outlive those of common balancers (60 s), which would race with
 * our close.
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
      // The app answers slow bodies itself; this ends a caller who stays all the same.
      requestTimeout: 40_000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16 * 1024,
      // The app refuses them itself: Node's own answers have no body and are in no log.
      requireHostHeader: false,
      ...limits,
    })
      .setTimeout(unreadTimeout)
      .on('request', answer)
      // Expectations other than 100-continue may be ignored (RFC 9110 §10.1.1).
      .on('checkExpectation', answer)
      .on('clientError', (error, socket) => {
        refused.add(error);
        answerClientError(error, socket, connections.pendingOn(socket));
      })
  );
}

interface Connection {
  /** The response that is being made; undefined between two requests. */
  pending: ServerResponse | undefined;
  readonly waiting: [IncomingMessage, ServerResponse][];
}

/**
 * Answers the requests of a connection one after the other, so that every response in the making has the socket it is sent on:
 * Node does not close the others with the connection, and their slots would stay taken (rule: caller-leaves).
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

  pendingOn(socket: Duplex): ServerResponse | undefined {
    return this.#connections.get(socket)?.pending;
  }

  /** Begins no request on a socket that is not writable: its last answer announced the end of it (RFC 9112 §9.6). */
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

/** Ends a connection on which nothing has moved for a while if its answer is waiting to be read, and not still being made. */
function endUnread(socket: Socket): void {
  if (socket.writableLength > 0) socket.destroy();
}
