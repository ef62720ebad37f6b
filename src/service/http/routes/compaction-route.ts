import { type Compaction, compactionRequestSchema } from '../../../contract/compaction.js';
import { acceptRequest, connect, resolveModel } from '../intake/accept-request.js';
import type { Route } from './route.js';
import { sendJson } from './send-json.js';
import type { StepServices } from './step-routes.js';

/** A shorter history (rules: compaction-mask, compaction-summarize); only `summarize` calls a model. */
export function compactionRoute(services: StepServices): Route {
  return {
    path: '/api/agent/compact_history',
    post: async (request, response) => {
      const accepted = await acceptRequest(compactionRequestSchema, { request, response }, services);
      const { request: wanted, deadline, state, warnings } = accepted;
      const model = resolveModel(wanted.llm_config, services.models);
      const dependencies = {
        profile: model.profile,
        tokens: model.tokenCounter(deadline.signal),
        deadline,
        connect: () => connect(model, accepted),
      };
      const { compact } = await services.agent();
      const result = await compact(wanted, dependencies);
      state.usage = result.usage;
      const compaction: Compaction = {
        ...result,
        warnings: [...warnings, ...result.warnings],
        request_id: state.id,
      };
      await sendJson(response, compaction);
    },
  };
}
