import type { VendorError } from '../faults/vendor-errors.js';
import type { Fault, RecordedRequest, ScriptedCompletion } from './reply.js';
import { stableId, type Wire } from './wire.js';

/** The server's response to a request: it sends an HTTP answer, stays silent, or resets the connection. */
export type WireAnswer = HttpAnswer | { readonly end: 'silence' } | { readonly end: 'reset' };

export interface HttpAnswer {
  readonly end?: never;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  /** Parts of the body. They are read lazily, as fast as the client reads. */
  readonly body: Iterable<string>;
  /**
   * How the body is sent. `drip`: byte by byte; `stall` and `cut`: only half of it, `cut` then breaks the
   * connection; `hold`: all of it, without ending the response.
   */
  readonly delivery?: 'whole' | 'drip' | 'stall' | 'cut' | 'hold';
  /** Delay before the headers, in milliseconds. */
  readonly delayMs?: number;
  /** Delay before each part of the body, or with `drip` before each byte, in milliseconds. */
  readonly paceMs?: number;
}

/** A request, together with the protocol in which it is answered. */
export interface Question {
  readonly request: RecordedRequest;
  readonly wire: Wire;
  readonly streamed: boolean;
}

export interface FaultQuestion extends Question {
  readonly fault: Fault;
  /** The completion that would be sent without the fault. */
  readonly completion: ScriptedCompletion;
}

export const jsonType = 'application/json';
const streamType = 'text/event-stream; charset=utf-8';

export const requestIdOf = ({ rawBody }: RecordedRequest): string => stableId('req_', rawBody);

/** Returns a 200 response with the given body, with the content type that the client expects. */
export function succeed({ wire, request, streamed }: Question, body: Iterable<string>): HttpAnswer {
  const headers = {
    'content-type': streamed ? streamType : jsonType,
    [wire.requestIdHeader]: requestIdOf(request),
  };
  return { status: 200, headers, body };
}

/** Returns the completion in the vendor's format, plain or streamed as the request asks. */
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

/**
 * Returns the error in the vendor's format. It is never streamed, because a provider rejects a request before a
 * stream begins.
 */
export function refuse({ wire, request }: Question, error: VendorError): HttpAnswer {
  const id = requestIdOf(request);
  return {
    status: error.status,
    headers: { 'content-type': jsonType, [wire.requestIdHeader]: id, ...error.headers },
    body: [JSON.stringify(wire.error(error, id))],
  };
}
