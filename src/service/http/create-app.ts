import express, { type Express, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import { errorHandler } from './failure/error-handler.js';
import { RequestRefused } from './failure/to-failure.js';
import { cors } from './middleware/cors.js';
import { recordRequests } from './middleware/request-log.js';
import { securityHeaders } from './middleware/security-headers.js';
import { compactionRoute } from './routes/compaction-route.js';
import { docsRoutes } from './routes/docs-routes.js';
import { previewRoute } from './routes/preview-route.js';
import { addRoute } from './routes/route.js';
import { statusRoutes } from './routes/status-routes.js';
import { type StepServices, stepRoutes } from './routes/step-routes.js';

export interface AppDependencies extends StepServices {
  readonly log: Logger;
  /** Of the package that runs. */
  readonly version: string;
  /** Web pages of these origins may call; none by default. */
  readonly corsOrigins?: readonly string[];
}

/** The whole HTTP surface, ready to be listened with. */
export function createApp(dependencies: AppDependencies): Express {
  const { log, version, corsOrigins = [], models, inFlight } = dependencies;
  const app = express();
  app.disable('x-powered-by').disable('etag').enable('case sensitive routing').enable('strict routing');
  app.use(recordRequests((record) => log.info(record, 'request')));
  app.use(securityHeaders());
  if (corsOrigins.length > 0) app.use(cors(corsOrigins));
  app.use('/api', neverStored);
  const routes = [
    ...stepRoutes(dependencies),
    previewRoute(dependencies),
    compactionRoute(dependencies),
    ...statusRoutes({ inFlight, models, version }),
    ...docsRoutes(version),
  ];
  for (const route of routes) addRoute(app, route);
  app.use(() => {
    throw new RequestRefused('not_found');
  });
  app.use(errorHandler(log));
  return app;
}

const neverStored: RequestHandler = (_request, response, next) => {
  response.setHeader('Cache-Control', 'no-store');
  next();
};
