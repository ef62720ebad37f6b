import { createServer as createHttpServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';
import { answerClientError } from './failure/answer-client-error.js';
import { endUnread, oweAnswer } from './owed-answers.js';

/**
 * The server in front of the app, with the limits Node leaves open: slow headers and slow bodies end in
 * seconds, answers that nobody takes in a minute, and idle connections outlive those of common balancers (60 s), which
 * would race with our close.
 */
export function createServer(app: Express, { unreadTimeout = 60_000, ...limits }: ServerLimits = {}): Server {
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
  return server
    .setTimeout(unreadTimeout, endUnread)
    .on('request', (request, response) => {
      if (oweAnswer(request, response)) app(request, response);
    })
    .on('clientError', answerClientError);
}

/** In milliseconds. */
export interface ServerLimits {
  readonly headersTimeout?: number;
  readonly requestTimeout?: number;
  readonly connectionsCheckingInterval?: number;
  /** How long a caller may take nothing of an answer. */
  readonly unreadTimeout?: number;
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
