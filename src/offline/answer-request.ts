import { faults } from './faults/faults.js';
import { refusedRequest, vendorErrors } from './faults/vendor-errors.js';
import { anthropicWire } from './wire/anthropic-wire.js';
import { listModels } from './wire/list-models.js';
import { openaiWire } from './wire/openai-wire.js';
import type { RecordedRequest, ScriptedCompletion, ScriptedReply } from './wire/reply.js';
import { responsesWire } from './wire/responses-wire.js';
import type { Wire } from './wire/wire.js';
import { complete, type Question, refuse, type WireAnswer } from './wire/wire-answer.js';

/**
 * Chooses the reply to a request. If it throws, the client gets a 400 with the error's message. An error that the
 * reply's lazy `chunks` throw later breaks the connection.
 */
export type Respond = (request: RecordedRequest) => ScriptedReply;

const wires: Readonly<Record<string, Wire>> = {
  '/v1/chat/completions': openaiWire,
  '/v1/messages': anthropicWire,
  '/v1/responses': responsesWire,
};

/** The completion that is sent if a script or a fault names none. */
export const plainAnswer: ScriptedCompletion = {
  text: 'Thought: I know it.\nFinal Answer: A scripted answer.',
};

/**
 * Answers a request in the protocol that its path belongs to, with the reply that `respond` chooses. A request
 * that the vendor would refuse gets the vendor's error, whatever the script says.
 */
export function answerRequest(request: RecordedRequest, respond: Respond): WireAnswer {
  if (request.method === 'GET' && request.path === '/v1/models') return listModels(request);
  const wire = wires[request.path];
  const question = { request, wire: wire ?? openaiWire, streamed: request.body['stream'] === true };
  if (!wire || request.method !== 'POST') return refuse(question, vendorErrors['not-found']);
  const problem = wire.check(request.body);
  if (problem !== null) return refuse(question, refusedRequest(problem));
  try {
    return carryOut(respond(request), question);
  } catch (error) {
    return refuse(question, refusedRequest(error instanceof Error ? error.message : String(error)));
  }
}

function carryOut(reply: ScriptedReply, question: Question): WireAnswer {
  if (reply.fault === undefined) return complete(question, reply);
  return faults[reply.fault]({ ...question, fault: reply, completion: reply.completion ?? plainAnswer });
}
