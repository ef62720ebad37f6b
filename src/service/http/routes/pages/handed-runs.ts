import { RequestRefused } from '../../failure/to-failure.js';
import type { Route } from '../route.js';

/**
 * Saved runs as JSON, by unguessable names. The program that starts the service passes them in for the playground.
 */
export type HandedRuns = Readonly<Record<string, string>>;

/**
 * Routes that serve each saved run only to the service's own page. The browser's headers reveal the requesting
 * site; other sites get 404, even if `CORS_ORIGINS` allows them (rule: playground-view).
 */
export const handedRunRoutes = (runs: HandedRuns): Route[] =>
  Object.entries(runs).map(([name, json]) => ({
    path: `/playground/runs/${name}`,
    name: '/playground/runs/*',
    get: ({ headers }, response) => {
      const { origin, 'sec-fetch-site': site = 'same-origin' } = headers;
      if (origin !== undefined || site !== 'same-origin') throw new RequestRefused('not_found');
      response.set('Cache-Control', 'no-store').type('json').send(json);
    },
  }));
