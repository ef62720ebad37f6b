import { RequestRefused } from '../../failure/to-failure.js';
import type { Route } from '../route.js';

/** Saved runs as JSON, by names that cannot be guessed; the program that starts the service hands them to its page. */
export type HandedRuns = Readonly<Record<string, string>>;

/**
 * Routes that give each run to the page of this service only: browsers send which page asks, and others get 404 whatever
 * `CORS_ORIGINS` says (rule: playground-view).
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
