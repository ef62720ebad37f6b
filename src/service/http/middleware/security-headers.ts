import helmet from 'helmet';
import { type Preparation, stateOf } from './request-state.js';

/** Sets helmet's headers; answers of the API get those that mean something to data (OWASP REST Security Cheat Sheet). */
export const securityHeaders: Preparation = (request, response) => {
  const set = stateOf(response).route.startsWith('/api/') ? headersOfData : headersOfPages;
  set(request, response, () => {});
};

/** Only our own files may load, and nobody may frame them. The docs page draws its icons from data URLs. */
const contentSecurityPolicy = {
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
};

const headersOfPages = helmet({
  contentSecurityPolicy,
  // The service speaks plain HTTP; the proxy that adds TLS decides about this.
  strictTransportSecurity: false,
  referrerPolicy: { policy: 'no-referrer' },
});

const headersOfData = helmet({
  contentSecurityPolicy,
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  referrerPolicy: false,
  strictTransportSecurity: false,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xPermittedCrossDomainPolicies: false,
  xXssProtection: false,
});
