import type { VendorError } from '../faults/vendor-errors.js';
import type { Fault, RecordedRequest, ScriptedCompletion } from './reply.js';
import { stableId, type Wire } from './wire.js';

/** What the server does with one request. */
export type WireAnswer = HttpAnswer | { readonly end: 'silence' } | { readonly end: 'reset' };

export interface HttpAnswer {
  readonly end?: never;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** The body in pieces, lazily taken: as fast as the client reads. */
  readonly body: Iterable<string>;
  /** What becomes of the body; `stall` and `cut` send half of it, `hold` all of it but no end. */
  readonly delivery?: 'whole' | 'drip' | 'stall' | 'cut' | 'hold';
  /** Wait before the headers. */
  readonly delayMs?: number;
  /** Wait before each piece, or before each byte of a drip. */
  readonly paceMs?: number;
}

/** All an answer is made of: the request, the vendor's wire, plain or streamed, and the fault if there is one. */
export interface Question {
  readonly request: RecordedRequest;
  readonly wire: Wire;
  readonly streamed: boolean;
}

export interface FaultQuestion extends Question {
  readonly fault: Fault;
  /** What the provider would say if nothing went wrong. */
  readonly completion: ScriptedCompletion;
}

export const jsonType = 'application/json';
const streamType = 'text/event-stream; charset=utf-8';

export const requestIdOf = ({ rawBody }: RecordedRequest): string => stableId('req_', rawBody);

/** A 200 with this body, in the content type the client expects. */
export function succeed({ wire, request, streamed }: Question, body: Iterable<string>): HttpAnswer {
  const headers = {
    'content-type': streamed ? streamType : jsonType,
    [wire.requestIdHeader]: requestIdOf(request),
  };
  return { status: 200, headers, body };
}

/** The completion in the vendor's words, plain or streamed as it was asked for. */
export function complete(question: Question, completion: ScriptedCompletion): HttpAnswer {
  const { delayMs = 0, chunkDelayMs = 0 } = completion;
  return {
    ...succeed(question, completionBody(question, completion)),
    delayMs,
    paceMs: question.streamed ? chunkDelayMs : 0,
  };
}

export const completionBody = ({ wire, request, streamed }: Question, completion: ScriptedCompletion) =>
  streamed ? wire.events(completion, request) : [JSON.stringify(wire.plain(completion, request))];

/** The error in the vendor's words. It is never streamed: a provider refuses before the stream begins. */
export function refuse({ wire, request }: Question, error: VendorError): HttpAnswer {
  const id = requestIdOf(request);
  return {
    status: error.status,
    headers: { 'content-type': jsonType, [wire.requestIdHeader]: id, ...error.headers },
    body: [JSON.stringify(wire.error(error, id))],
  };
}
