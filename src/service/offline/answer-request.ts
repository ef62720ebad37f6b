import { type Answer, complete, type Question, refuse } from './answer.js';
import { anthropicWire } from './anthropic-wire.js';
import { faults } from './faults.js';
import { listModels } from './list-models.js';
import { openaiWire } from './openai-wire.js';
import { providerErrors, refusedRequest } from './provider-errors.js';
import type { Completion, RecordedRequest, Reply } from './reply.js';
import type { Wire } from './wire.js';

/**
 * Decides what is answered. May throw: the client then gets a 400 with the error's message.
 * An error while the reply is being made (lazy chunks) cuts the connection.
 */
export type Respond = (request: RecordedRequest) => Reply;

const wires: Readonly<Record<string, Wire>> = {
  '/v1/chat/completions': openaiWire,
  '/v1/messages': anthropicWire,
};

/** What is said where the script names no completion. */
export const plainAnswer: Completion = { text: 'Thought: I know it.\nFinal Answer: A scripted answer.' };

/** Finds the wire by the path, and asks `respond` what is to be said in it. */
export function answerRequest(request: RecordedRequest, respond: Respond): Answer {
  if (request.method === 'GET' && request.path === '/v1/models') return listModels(request);
  const wire = wires[request.path];
  const question = { request, wire: wire ?? openaiWire, streamed: request.body['stream'] === true };
  if (!wire || request.method !== 'POST') return refuse(question, providerErrors['not-found']);
  try {
    return carryOut(respond(request), question);
  } catch (error) {
    return refuse(question, refusedRequest(error instanceof Error ? error.message : String(error)));
  }
}

function carryOut(reply: Reply, question: Question): Answer {
  if (reply.fault === undefined) return complete(question, reply);
  return faults[reply.fault]({ ...question, fault: reply, completion: reply.completion ?? plainAnswer });
}
