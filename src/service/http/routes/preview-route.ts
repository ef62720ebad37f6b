import type { RequestHandler } from 'express';
import type { Preview } from '../../../contract/preview.js';
import { stepRequestSchema } from '../../../contract/step-request.js';
import { acceptRequest, promptDependencies, resolveModel } from '../intake/accept-request.js';
import type { LoadedServices } from '../services.js';
import { sendAnswer } from './send-answer.js';
import { contextOptions } from './step-routes.js';

/**
 * Handles previews: returns the prompt that a step would send. Makes no model call and needs no key
 * (rule: context-report).
 */
export function answerPreview(services: LoadedServices): RequestHandler {
  return async (request, response) => {
    const accepted = await acceptRequest(stepRequestSchema, { request, response }, services);
    const { request: step, state, warnings } = accepted;
    const model = resolveModel(step.llm_config, services.agent.models);
    const result = await services.agent.preview(step, {
      ...promptDependencies(model, accepted),
      sources: services.agent.sourcesFor(step, contextOptions(state)),
    });
    const preview: Preview = {
      ...result,
      warnings: [...warnings, ...result.warnings],
      request_id: state.id,
    };
    sendAnswer(response, preview);
  };
}
