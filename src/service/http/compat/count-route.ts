import type { RequestHandler } from 'express';
import type { Wire } from '../../compat/wire.js';
import { BudgetExceeded } from '../../step/interruption.js';
import { sendAnswer } from '../routes/send-answer.js';
import { acceptExchange, promptDependencies, type WireServices } from './wire-route.js';

/** Handles requests that ask how many tokens a prompt has (rule: messages-count). Makes no model call and needs no key. */
export function answerCount(wire: Wire, services: WireServices): RequestHandler {
  return async (request, response) => {
    const accepted = await acceptExchange(wire, { request, response }, services);
    const tokens = await services.agent
      .preview(accepted.input, promptDependencies(accepted))
      .then(({ context_report: report }) => report.prompt_tokens, tokensOfTooLong);
    sendAnswer(response, { input_tokens: tokens });
  };
}

/** Returns the tokens of a prompt that does not fit; throws any other error again. */
function tokensOfTooLong(error: unknown): number {
  if (error instanceof BudgetExceeded) return error.size.promptTokens;
  throw error;
}
