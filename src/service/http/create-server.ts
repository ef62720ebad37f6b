import {
  createServer as createHttpServer,
  IncomingMessage,
  type OutgoingHttpHeader,
  type OutgoingHttpHeaders,
  type Server,
  ServerResponse,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Express } from 'express';
import { answerClientError, RefusedConnections } from './failure/answer-client-error.js';
import { endUnread, oweAnswer, sayIfLast } from './owed-answers.js';

/**
 * The server in front of the app, with the limits Node leaves open: slow headers and slow bodies end in
 * seconds, answers that nobody takes in a minute, and idle connections outlive those of common balancers (60 s), which
 * would race with our close.
 */
export function createServer(
  app: Express,
  { unreadTimeout = 60_000, ...limits }: ServerLimits = {},
  refused = new RefusedConnections(),
): Server {
  const server = createHttpServer({
    headersTimeout: 10_000,
    // The app answers slow bodies itself; this ends a caller who stays all the same.
    requestTimeout: 40_000,
    connectionsCheckingInterval: 1_000,
    keepAliveTimeout: 65_000,
    maxHeaderSize: 16 * 1024,
    // The app refuses them itself: Node's own answers have no body and are in no log.
    requireHostHeader: false,
    ...messagesOf(app),
    ...limits,
  });
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const admission = oweAnswer(request, response);
    if (admission === 'owed') app(request, response);
    if (admission === 'refused') refused.counts.too_many_requests += 1;
  };
  return (
    server
      .setTimeout(unreadTimeout, endUnread)
      .on('request', answer)
      // What else than 100-continue a caller expects may be left unheeded (RFC 9110 §10.1.1).
      .on('checkExpectation', answer)
      .on('clientError', (error, socket) => {
        refused.add(error);
        answerClientError(error, socket);
      })
  );
}

/** In milliseconds. */
export interface ServerLimits {
  readonly headersTimeout?: number;
  readonly requestTimeout?: number;
  readonly connectionsCheckingInterval?: number;
  /** How long a caller may take nothing of an answer. */
  readonly unreadTimeout?: number;
}

type Headers = OutgoingHttpHeaders | OutgoingHttpHeader[];

/**
 * Requests and responses that are born with the prototypes that Express would give each of them later: to change the
 * prototype of an object costs more than to route it, and makes slow whatever is then asked of it.
 */
function messagesOf(app: Express) {
  class Request extends IncomingMessage {}
  class Response extends ServerResponse {
    override writeHead(status: number, reason?: string | Headers, headers?: Headers): this {
      sayIfLast(this);
      return typeof reason === 'string'
        ? super.writeHead(status, reason, headers)
        : super.writeHead(status, reason ?? headers);
    }

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
