import type { Request } from 'express';
import { writeMessagesFailure } from '../../compat/messages/messages-failure.js';
import { writeOpenAiFailure } from '../../compat/openai-failure.js';
import { writeResponsesFailure } from '../../compat/responses/responses-failure.js';
import type { FailureWriter, Wire } from '../../compat/wire.js';
import { isOfWire } from '../middleware/paths.js';
import { type Preparation, stateOf } from '../middleware/request-state.js';
import { loaded } from '../routes/agent-routes.js';
import type { Route } from '../routes/route.js';
import { loadServices, type Services } from '../services.js';
import { Windows } from './route-model.js';

/** Routes of the compatible endpoints. Their handlers are loaded with the first request (rule: compatible-wires). */
export function wireRoutes(services: Services): Route[] {
  const windows = new Windows(services.log);
  const load = async () => ({ ...(await loadServices(services)), windows });
  const wire = (loadWire: () => Promise<Wire>) =>
    loaded(async () => (await import('./wire-route.js')).answerWire(await loadWire(), await load()));
  const messages = async () => (await import('../../compat/messages/messages-wire.js')).messagesWire;
  const models = async () =>
    (await import('./models-routes.js')).answerModels((await services.agent()).models);
  const model = async () => (await import('./models-routes.js')).answerModel((await services.agent()).models);
  return [
    {
      path: '/v1/chat/completions',
      post: wire(async () => (await import('../../compat/chat/chat-wire.js')).chatWire),
    },
    {
      path: '/v1/responses',
      post: wire(async () => (await import('../../compat/responses/responses-wire.js')).responsesWire),
    },
    { path: '/v1/messages', post: wire(messages) },
    {
      path: '/v1/messages/count_tokens',
      post: loaded(async () => (await import('./wire-route.js')).answerCount(await messages(), await load())),
    },
    { path: '/v1/models', get: loaded(models) },
    { path: '/v1/models/*id', name: '/v1/models/{id}', get: loaded(model) },
  ];
}

/**
 * Chooses the format of error responses below `/v1`, also for paths that are not an endpoint
 * (rule: compatible-errors).
 */
export const nameWire: Preparation = (request, response) => {
  if (!isOfWire(request.path)) return;
  stateOf(response).writeFailure = failureWriterOf(request);
};

function failureWriterOf(request: Request): FailureWriter {
  const { path } = request;
  if (/^\/v1\/responses(?:\/|$)/.test(path)) return writeResponsesFailure;
  const isOfAnthropic =
    /^\/v1\/messages(?:\/|$)/.test(path) || request.get('anthropic-version') !== undefined;
  return isOfAnthropic ? writeMessagesFailure : writeOpenAiFailure;
}
