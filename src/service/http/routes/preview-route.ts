import type { Preview } from '../../../contract/preview.js';
import { stepRequestSchema } from '../../../contract/step-request.js';
import { hashPrompt, preparePrompt } from '../../agent/prepare-prompt.js';
import type { Message } from '../../agent/provider.js';
import { acceptRequest, resolveModel } from '../intake/accept-request.js';
import type { Route } from './route.js';
import type { StepServices } from './step-routes.js';

/** What a step would send: no model call, no key (SPEC §1). */
export function previewRoute(services: StepServices): Route {
  return {
    path: '/api/agent/context_preview',
    post: async (request, response) => {
      const accepted = await acceptRequest(stepRequestSchema, { request, response }, services);
      const { request: step, deadline, state, warnings } = accepted;
      const model = resolveModel(step.llm_config, services.models);
      const prepared = await preparePrompt(step, {
        profile: model.profile,
        tokens: model.tokenCounter(deadline.signal),
        deadline,
        sources: services.sourcesFor(step),
      });
      const { prompt, report } = prepared;
      const preview: Preview = {
        system: prompt.system,
        messages: prompt.messages.map((message) => ({ role: message.role, content: contentOf(message) })),
        prompt_sha256: hashPrompt(prompt.system, prompt.messages),
        context_report: report,
        warnings: [...warnings, ...prepared.warnings],
        request_id: state.id,
      };
      response.json(preview);
    },
  };
}

/** A message as the model reads it; native calls as JSON. */
function contentOf({ parts }: Message): string {
  return parts.map((part) => ('text' in part ? part.text : `${JSON.stringify(part)}\n`)).join('');
}
