import { createServer as createHttpServer, IncomingMessage, type Server, ServerResponse } from 'node:http';
import type { Express } from 'express';
import { answerClientError } from './failure/answer-client-error.js';

/**
 * The server in front of the app, with the limits Node leaves open: slow headers and slow bodies end in
 * seconds, and idle connections outlive those of common balancers (60 s), which would race with our close.
 */
export function createServer(app: Express, limits: ServerLimits = {}): Server {
  const server = createHttpServer(
    {
      headersTimeout: 10_000,
      // The app answers slow bodies itself; this ends a caller who stays all the same.
      requestTimeout: 40_000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16 * 1024,
      ...messagesOf(app),
      ...limits,
    },
    app,
  );
  return server.on('clientError', answerClientError);
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
  class Response extends ServerResponse {}
  Object.setPrototypeOf(Request.prototype, app.request);
  Object.setPrototypeOf(Response.prototype, app.response);
  app.request = Request.prototype as typeof app.request; // it inherits from Express's own
  app.response = Response.prototype as typeof app.response; // as above
  return { IncomingMessage: Request, ServerResponse: Response };
}
