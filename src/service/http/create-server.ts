import { createServer as createHttpServer, type RequestListener, type Server } from 'node:http';
import { answerClientError } from './failure/answer-client-error.js';

/**
 * The server in front of the app, with the limits Node leaves open: slow headers and slow bodies end in
 * seconds, and idle connections outlive those of common balancers (60 s), which would race with our close.
 */
export function createServer(app: RequestListener, limits: ServerLimits = {}): Server {
  const server = createHttpServer(
    {
      headersTimeout: 10_000,
      // The app answers slow bodies itself; this ends a caller who stays all the same.
      requestTimeout: 40_000,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: 65_000,
      maxHeaderSize: 16 * 1024,
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
