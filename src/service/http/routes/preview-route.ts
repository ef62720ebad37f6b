import type { RequestHandler } from 'express';
import type { Preview } from '../../../contract/preview.js';
import { stepRequestSchema } from '../../../contract/step-request.js';
import { acceptRequest, resolveModel } from '../intake/accept-request.js';
import { sendJson } from './send-json.js';
import type { StepServices } from './step-routes.js';

/** What a step would send: no model call, no key (rule: context-report). */
export function answerPreview(services: StepServices): RequestHandler {
  return async (request, response) => {
    const accepted = await acceptRequest(stepRequestSchema, { request, response }, services);
    const { request: step, literals, deadline, state, warnings } = accepted;
    const { models, preview: previewStep, sourcesFor } = await services.agent();
    const model = resolveModel(step.llm_config, models);
    const result = await previewStep(step, {
      profile: model.profile,
      tokens: model.tokenCounter(deadline.signal),
      deadline,
      literals,
      sources: sourcesFor(step, state.trace.headers),
      during: state.trace.during,
    });
    const preview: Preview = {
      ...result,
      warnings: [...warnings, ...result.warnings],
      request_id: state.id,
    };
    await sendJson(response, preview);
  };
}
