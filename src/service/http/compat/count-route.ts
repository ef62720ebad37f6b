import type { RequestHandler } from 'express';
import type { Wire } from '../../compat/wire.js';
import { sendAnswer } from '../routes/send-answer.js';
import { acceptExchange, promptDependencies, type WireServices } from './wire-route.js';

/** Handles requests that ask how many tokens a prompt has (rule: messages-count). Makes no model call and needs no key. */
export function answerCount(wire: Wire, services: WireServices): RequestHandler {
  return async (request, response) => {
    const accepted = await acceptExchange(wire, { request, response }, services);
    const { context_report: report } = await services.agent.preview(
      accepted.input,
      promptDependencies(accepted),
    );
    sendAnswer(response, { input_tokens: report.prompt_tokens });
  };
}
