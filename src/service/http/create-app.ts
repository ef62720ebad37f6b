import express, { type Express } from 'express';
import type { CallerLimits } from '../operations/limits/caller-limits.js';
import { passOnTraces, type Tracing } from '../operations/tracing/request-trace.js';
import type { Secret } from '../providers/secret.js';
import { nameWire, wireRoutes } from './compat/wire-routes.js';
import { errorHandler } from './failure/error-handler.js';
import { RequestRefused } from './failure/to-failure.js';
import type { InFlight } from './intake/in-flight.js';
import { cors } from './middleware/cors.js';
import { limitCallers } from './middleware/limit-callers.js';
import { isOfApi } from './middleware/paths.js';
import { recordRequests } from './middleware/request-log.js';
import { type Preparation, stateOf } from './middleware/request-state.js';
import { requireHost, requireOwnHost } from './middleware/require-own-host.js';
import { requireToken } from './middleware/require-token.js';
import { securityHeaders } from './middleware/security-headers.js';
import { agentRoutes } from './routes/agent-routes.js';
import { docsRoutes } from './routes/pages/docs-routes.js';
import { type HandedRuns, handedRunRoutes } from './routes/pages/playground-routes.js';
import { addRoute, nameRoute } from './routes/route.js';
import { statusRoutes } from './routes/status-routes.js';
import { watchRoute } from './routes/watch-route.js';
import type { Services } from './services.js';

export interface AppDependencies extends Services {
  /** Origins whose web pages may call the service; none by default. */
  readonly corsOrigins?: readonly string[];
  /** Limits of each caller; none by default. */
  readonly limits?: CallerLimits | undefined;
  /** Tracing of requests. By default, trace headers are only passed on. */
  readonly tracing?: Tracing;
  /** Credentials in the settings of upstreams, which must not occur in a request id; none by default. */
  readonly gatewaySecrets?: readonly Secret[];
  /** Proxies whose `X-Forwarded-For` is trusted: their number or their addresses. */
  readonly trustProxy?: number | readonly string[] | undefined;
  /** Saved runs for the playground; none by default. */
  readonly handedRuns?: HandedRuns;
  /** True if requests must have a local `Host` header. Default false. */
  readonly ownHostOnly?: boolean;
}

/** Creates the Express app with all routes and middleware. */
export function createApp(dependencies: AppDependencies): Express {
  const {
    log,
    version,
    corsOrigins = [],
    inFlight,
    tokens,
    limits,
    metrics,
    ownHostOnly,
    gatewaySecrets = [],
  } = dependencies;
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').enable('strict routing');
  app.set('trust proxy', dependencies.trustProxy ?? false);
  const routes = [
    ...agentRoutes(dependencies),
    ...wireRoutes(dependencies),
    watchRoute(dependencies),
    ...statusRoutes(dependencies),
    ...docsRoutes(version),
    ...handedRunRoutes(dependencies.handedRuns ?? {}),
  ];
  const preparations: Preparation[] = [
    recordRequests({ log, metrics, gatewaySecrets }),
    nameRoute(routes),
    nameWire,
    traceRequests(dependencies.tracing ?? passOnTraces),
    endsConnection(inFlight),
    securityHeaders,
    ownHostOnly ? requireOwnHost : requireHost,
    ...(corsOrigins.length > 0 ? [cors(corsOrigins)] : []),
    neverStored,
    ...(tokens ? [requireToken(tokens)] : []),
  ];
  app.use((request, response, next) => {
    for (const prepare of preparations) prepare(request, response);
    next();
  });
  if (limits) app.use(['/api', '/v1'], limitCallers(limits));
  for (const route of routes) addRoute(app, route);
  app.use(() => {
    throw new RequestRefused('not_found');
  });
  app.use(errorHandler(log));
  return app;
}

/** Begins a trace for every API request, including rejected ones (rule: tracing). */
const traceRequests =
  (tracing: Tracing): Preparation =>
  ({ method, headers }, response) => {
    const state = stateOf(response);
    const { route } = state;
    if (method !== 'OPTIONS' && isOfApi(route)) state.trace = tracing.begin({ method, route, headers });
  };

/**
 * Closes each connection after its response while the service drains. On an open connection, the client would send
 * its next request to this process (rule: shutdown).
 */
const endsConnection =
  (inFlight: InFlight): Preparation =>
  (_request, response) => {
    if (inFlight.draining) response.setHeader('Connection', 'close');
  };

const neverStored: Preparation = (request, response) => {
  if (isOfApi(request.path)) response.setHeader('Cache-Control', 'no-store');
};
