import type { Express, RequestHandler } from 'express';
import { RequestRefused } from '../failure/to-failure.js';
import { type Preparation, stateOf } from '../middleware/request-state.js';

/**
 * A path and its handlers by method; `get` also handles HEAD. A path that ends in `/*name` matches any
 * continuation.
 */
export interface Route {
  readonly path: string;
  /** Name in logs and metrics; by default the path. */
  readonly name?: string;
  readonly get?: RequestHandler;
  readonly post?: RequestHandler;
}

/**
 * Returns a function that stores the name of a request's route for the log, also if the request is rejected before
 * routing.
 */
export function nameRoute(routes: readonly Route[]): Preparation {
  const names = new Map(routes.map(({ path, name = path }) => [path, name]));
  const open = routes.flatMap(({ path, name = path }) => {
    const [prefix = '', rest] = path.split('*');
    return rest === undefined ? [] : [{ prefix, name }];
  });
  return (request, response) => {
    const name = names.get(request.path) ?? open.find(({ prefix }) => request.path.startsWith(prefix))?.name;
    if (name !== undefined) stateOf(response).route = name;
  };
}

/** Adds a route that also handles OPTIONS, and responds to other methods with 405. */
export function addRoute(app: Express, { path, get, post }: Route): void {
  const allow = [...(get ? ['GET', 'HEAD'] : []), ...(post ? ['POST'] : []), 'OPTIONS'].join(', ');
  const route = app.route(path);
  if (get) route.get(get);
  if (post) route.post(post);
  route.options((_request, response) => void response.status(204).set('Allow', allow).end());
  route.all((_request, response) => {
    response.set('Allow', allow);
    throw new RequestRefused('method_not_allowed');
  });
}
