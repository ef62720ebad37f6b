import type { RequestHandler } from 'express';
import { type Compaction, compactionRequestSchema } from '../../../contract/compaction.js';
import { acceptRequest, connect, promptDependencies, resolveModel } from '../intake/accept-request.js';
import { recordUsage } from '../middleware/request-state.js';
import type { LoadedServices } from '../services.js';
import { sendAnswer } from './send-answer.js';

/** Handles compaction requests (rules: compaction-mask, compaction-summarize). Only `summarize` calls a model. */
export function answerCompaction(services: LoadedServices): RequestHandler {
  return async (request, response) => {
    const accepted = await acceptRequest(compactionRequestSchema, { request, response }, services);
    const { request: wanted, state, warnings } = accepted;
    const model = resolveModel(wanted.llm_config, services.agent.models);
    const dependencies = {
      ...promptDependencies(model, accepted),
      connect: () => connect(model, accepted).provider,
    };
    const result = await services.agent.compact(wanted, dependencies);
    recordUsage(state, result.usage);
    const compaction: Compaction = {
      ...result,
      warnings: [...warnings, ...result.warnings],
      request_id: state.id,
    };
    sendAnswer(response, compaction);
  };
}
