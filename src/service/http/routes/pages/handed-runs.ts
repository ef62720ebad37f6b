import { RequestRefused } from '../../failure/to-failure.js';
import type { Route } from '../route.js';

/** Saved runs, as JSON, by names that cannot be guessed: who started this service hands them to its page. */
export type HandedRuns = Readonly<Record<string, string>>;

/**
 * Gives each to the page that this service serves, and to no other: whatever origins may call, a browser says which page
 * asks (rule: playground-view). For everybody else there is nothing here.
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
