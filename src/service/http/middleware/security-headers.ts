import type { RequestHandler } from 'express';
import helmet from 'helmet';

/** Nothing but our own files may load, and nobody may frame them. The docs page draws its icons from data URLs. */
export function securityHeaders(): RequestHandler {
  return helmet({
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
}
