import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet from 'helmet';
import { type Preparation, stateOf } from './request-state.js';

/**
 * Sets what helmet says. It says the same of every answer, so it is asked once. What is no page is told the part of it that
 * means something to data (OWASP REST Security Cheat Sheet): each header costs its caller as well.
 */
export function securityHeaders(): Preparation {
  const blank = new ServerResponse(new IncomingMessage(new Socket()));
  headersOfPages(blank.req, blank, () => {});
  const ofPages = Object.entries(blank.getHeaders()).map(([name, value]) => [name, String(value)] as const);
  const ofData = ofPages.filter(([name]) => headersOfData.has(name));
  return (_request, response) => {
    const headers = stateOf(response).route.startsWith('/api/') ? ofData : ofPages;
    for (const [name, value] of headers) response.setHeader(name, value);
  };
}

const headersOfData: ReadonlySet<string> = new Set([
  'content-security-policy',
  'cross-origin-resource-policy',
  'x-content-type-options',
  'x-frame-options',
]);

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
