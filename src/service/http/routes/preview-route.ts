import type { RequestHandler } from 'express';
import type { Preview } from '../../../contract/preview.js';
import { stepRequestSchema } from '../../../contract/step-request.js';
import { acceptRequest, promptDependencies, resolveModel } from '../intake/accept-request.js';
import { sendAnswer } from './send-answer.js';
import { contextOptions, type StepServices } from './step-routes.js';

/**
 * Handles previews: returns the prompt that a step would send. Makes no model call and needs no key
 * (rule: context-report).
 */
export function answerPreview({ agent, ...limits }: StepServices): RequestHandler {
  return async (request, response) => {
    const accepted = await acceptRequest(stepRequestSchema, { request, response }, limits);
    const { request: step, state, warnings } = accepted;
    const model = resolveModel(step.llm_config, agent.models);
    const result = await agent.preview(step, {
      ...promptDependencies(model, accepted),
      sources: agent.sourcesFor(step, contextOptions(state)),
    });
    const preview: Preview = {
      ...result,
      warnings: [...warnings, ...result.warnings],
      request_id: state.id,
    };
    sendAnswer(response, preview);
  };
}
