import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import type { Preparation } from './request-state.js';

/** Sets what helmet says. It says the same of every answer, so it is asked once. */
export function securityHeaders(): Preparation {
  const blank = new ServerResponse(new IncomingMessage(new Socket()));
  headersOfPages(blank.req, blank, () => {});
  const headers = Object.entries(blank.getHeaders()).map(([name, value]) => [name, String(value)] as const);
  return (_request, response) => {
    for (const [name, value] of headers) response.setHeader(name, value);
  };
}

/** Nothing but our own files may load, and nobody may frame them. The docs page draws its icons from data URLs. */
const headersOfPages = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: ["'none'"],
      scriptSrc: ["'self'"],
      styleSrc: ["'self'"],
      imgSrc: ["'self'", 'data:'],
      connectSrc: ["'self'"],
      baseUri: ["'none'"],
      formAction: ["'none'"],
      frameAncestors: ["'none'"],
    },
  },
  // The service speaks plain HTTP; what puts TLS in front of it decides about this.
  strictTransportSecurity: false,
  referrerPolicy: { policy: 'no-referrer' },
});
