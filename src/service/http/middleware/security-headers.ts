import helmet from 'helmet';
import { isOfApi } from './paths.js';
import { type Preparation, stateOf } from './request-state.js';

/** Sets helmet's headers. API responses get only the headers that matter for data (OWASP REST Security Cheat Sheet). */
export const securityHeaders: Preparation = (request, response) => {
  const set = isOfApi(stateOf(response).route) ? headersOfData : headersOfPages;
  set(request, response, () => {});
};

/** Allows only our own files and no embedding in frames. Data URLs are allowed for the icons of the docs page. */
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
  // The service speaks plain HTTP, so the proxy that adds TLS decides about this header.
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
