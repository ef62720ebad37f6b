import type { RequestHandler, Response } from 'express';
import { requestId } from './request-id.js';
import { openRequest, type RequestState } from './request-state.js';

/** One answered request, for logs and metrics: ids, codes and counts, never a text of the caller's. */
export interface RequestRecord {
  readonly request_id: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly outcome: string;
  readonly duration_ms: number;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
}

/** Opens every request and hands its record to the sink when it is over. */
export function recordRequests(sink: (record: RequestRecord) => void): RequestHandler {
  return (request, response, next) => {
    const state = openRequest(response, requestId(request.get('X-Request-Id')));
    response.set('X-Request-Id', state.id);
    response.once('close', () => sink(toRecord(request.method, response, state)));
    next();
  };
}

/** Nginx's status for a caller who left before the answer. */
const callerLeft = 499;

function toRecord(method: string, response: Response, state: RequestState): RequestRecord {
  const left = !response.writableFinished;
  return {
    // A caller may have sent its key for an id.
    request_id: state.key?.redact(state.id) ?? state.id,
    method,
    route: state.route,
    status: left ? callerLeft : response.statusCode,
    outcome: left ? 'caller_left' : (state.outcome ?? 'ok'),
    duration_ms: Math.round(performance.now() - state.startedAt),
    input_tokens: state.usage?.input_tokens ?? null,
    output_tokens: state.usage?.output_tokens ?? null,
  };
}
