import type { RequestHandler } from 'express';
import { type Compaction, compactionRequestSchema } from '../../../contract/compaction.js';
import type { Turn } from '../../../contract/history.js';
import { acceptRequest, connect, promptDependencies, resolveModel } from '../intake/accept-request.js';
import { recordUsage } from '../middleware/request-state.js';
import type { LoadedServices } from '../services.js';
import { sendAnswer } from './send-answer.js';

/** Handles compaction requests (rules: compaction-mask, compaction-summarize). Only `summarize` calls a model. */
export function answerCompaction(services: LoadedServices): RequestHandler {
  return async (request, response) => {
    const accepted = await acceptRequest(compactionRequestSchema, { request, response }, services);
    const { request: wanted, history, state, warnings } = accepted;
    const model = resolveModel(wanted.llm_config, services.agent.models);
    const dependencies = {
      ...promptDependencies(model, accepted),
      connect: () => connect(model, accepted).provider,
    };
    const result = await services.agent.compact(wanted, dependencies);
    recordUsage(state, result.usage);
    const compaction: Compaction = {
      ...result,
      conversation_history: asSent(result.conversation_history, wanted.conversation_history, history),
      warnings: [...warnings, ...result.warnings],
      request_id: state.id,
    };
    sendAnswer(response, compaction);
  };
}

/** Replaces each unchanged turn by the one that the caller sent, whose null fields the parsed turn lacks. */
function asSent(turns: readonly Turn[], parsed: readonly Turn[], history: readonly unknown[]): Turn[] {
  const sent = new Map(parsed.map((turn, index) => [turn, history[index]]));
  // Cast: the raw turns have passed the schema, which keeps unknown fields.
  return turns.map((turn) => (sent.get(turn) ?? turn) as Turn);
}
