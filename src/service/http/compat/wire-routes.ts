import type { Request } from 'express';
import type { Logger } from 'pino';
import { writeMessagesFailure } from '../../compat/messages/messages-failure.js';
import { writeOpenAiFailure } from '../../compat/openai-failure.js';
import { writeResponsesFailure } from '../../compat/responses/responses-failure.js';
import type { FailureWriter, Wire } from '../../compat/wire.js';
import type { AccessTokens } from '../../operations/access/access-tokens.js';
import { isOfWire } from '../middleware/paths.js';
import { type Preparation, stateOf } from '../middleware/request-state.js';
import { type AgentServices, loaded } from '../routes/agent-routes.js';
import type { Route } from '../routes/route.js';
import { Windows } from './route-model.js';
import type { WireServices } from './wire-route.js';

export interface CompatServices extends AgentServices {
  readonly tokens?: AccessTokens | undefined;
  readonly log: Logger;
}

/** Routes of the compatible endpoints. Their handlers are loaded with the first request (rule: compatible-wires). */
export function wireRoutes({ agent, inFlight, body, deadlineMs, tokens, log }: CompatServices): Route[] {
  const windows = new Windows(log);
  const services = async (): Promise<WireServices> => ({
    agent: await agent(),
    inFlight,
    body,
    deadlineMs,
    tokens,
    windows,
    log,
  });
  const wire = (load: () => Promise<Wire>) =>
    loaded(async () => (await import('./wire-route.js')).answerWire(await load(), await services()));
  const messages = async () => (await import('../../compat/messages/messages-wire.js')).messagesWire;
  const models = async () => (await import('./models-routes.js')).answerModels((await agent()).models);
  const model = async () => (await import('./models-routes.js')).answerModel((await agent()).models);
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
      post: loaded(async () =>
        (await import('./wire-route.js')).answerCount(await messages(), await services()),
      ),
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
