import express, { type Express, type RequestHandler } from 'express';
import type { Logger } from 'pino';
import { compactionRoute } from './compaction-route.js';
import { cors } from './cors.js';
import { docsRoutes } from './docs-routes.js';
import { errorHandler } from './error-handler.js';
import { healthRoutes } from './health-routes.js';
import { modelsRoute } from './models-route.js';
import { previewRoute } from './preview-route.js';
import { recordRequests } from './request-log.js';
import { RequestRefused } from './request-refused.js';
import { addRoute } from './route.js';
import { securityHeaders } from './security-headers.js';
import { type StepServices, stepRoutes } from './step-routes.js';

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
    modelsRoute(models),
    ...healthRoutes(inFlight, version),
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
  response.set('Cache-Control', 'no-store');
  next();
};
