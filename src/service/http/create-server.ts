import { createServer as createHttpServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';
import { answerClientError } from './failure/answer-client-error.js';

/**
 * The server in front of the app, with the limits Node leaves open: slow headers and slow bodies end in
 * seconds, and idle connections outlive those of common balancers (60 s), which would race with our close.
 */
export function createServer(app: Express, limits: ServerLimits = {}): Server {
  const server = createHttpServer({
    headersTimeout: 10_000,
    // The app answers slow bodies itself; this ends a caller who stays all the same.
    requestTimeout: 40_000,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 65_000,
    maxHeaderSize: 16 * 1024,
    ...messagesOf(app),
    ...limits,
  });
  return server.on('request', closeWithConnection).on('request', app).on('clientError', answerClientError);
}

/** In milliseconds. */
export interface ServerLimits {
  readonly headersTimeout?: number;
  readonly requestTimeout?: number;
  readonly connectionsCheckingInterval?: number;
}

/**
 * Requests and responses that are born with the prototypes that Express would give each of them later: to change the
 * prototype of an object costs more than to route it, and makes slow whatever is then asked of it.
 */
function messagesOf(app: Express) {
  class Request extends IncomingMessage {}
  class Response extends ServerResponse {
    /**
     * Node 20 closes a response together with its socket: one that waits for its turn has none yet, and closes here. Its
     * turn, with nothing to send, is the end of the connection.
     */
    override destroy(error?: Error): this {
      if (this.destroyed || this.socket) return super.destroy(error);
      this.once('socket', (socket: Socket) => socket.destroy());
      super.destroy(error);
      this.emit('close');
      return this;
    }
  }
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  app.request = Request.prototype as typeof app.request; // it inherits from Express's own
  app.response = Response.prototype as typeof app.response; // as above
  return { IncomingMessage: Request, ServerResponse: Response };
}

/** The responses to pipelined requests that wait until the ones before them are sent, by their connection. */
const waiting = new WeakMap<Socket, Set<ServerResponse>>();

/**
 * Node 20 tells only the response whose turn it is that the connection is closed. Those that wait for their turn learn it
 * here, so that every response closes, whatever becomes of its connection (rules: caller-leaves, request-log).
 */
function closeWithConnection({ socket }: IncomingMessage, response: ServerResponse): void {
  if (response.socket) return;
  const queue = waiting.get(socket) ?? waitOn(socket);
  queue.add(response);
  response.once('socket', () => queue.delete(response));
}

function waitOn(socket: Socket): Set<ServerResponse> {
  const queue = new Set<ServerResponse>();
  waiting.set(socket, queue);
  socket.once('close', () => {
    for (const response of queue) response.destroy();
  });
  return queue;
}
