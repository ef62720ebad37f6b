import type { ModelDirectory } from '../../providers/create-model-directory.js';
import type { Route } from './route.js';

/** What this service can reach (SPEC §1). */
export function modelsRoute(models: ModelDirectory): Route {
  return {
    path: '/api/agent/models',
    get: (_request, response) => {
      response.json(models.list());
    },
  };
}
