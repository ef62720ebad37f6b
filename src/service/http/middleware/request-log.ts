import { openRequest, type Preparation, type RequestState } from './request-state.js';

/** One answered request, for logs and metrics (rule: request-log): ids, codes and counts, never a text of the caller's. */
export interface RequestRecord {
  readonly request_id: string;
  /** Of the trace the request is a part of, if there is one. */
  readonly trace_id?: string;
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly outcome: string;
  /** The name of the token that was sent, where the service asks for tokens. */
  readonly caller?: string;
  readonly duration_ms: number;
  readonly input_tokens: number | null;
  readonly output_tokens: number | null;
}

/** Opens every request and hands its record to the sink when it is over. */
export function recordRequests(sink: (record: RequestRecord) => void): Preparation {
  return (request, response) => {
    const state = openRequest(request, response);
    // A response that is cut off calls itself finished too.
    let isTaken = false;
    response.on('finish', () => {
      isTaken = !request.socket.destroyed;
    });
    response.on('close', () => {
      const end = isTaken
        ? { status: response.statusCode, outcome: state.outcome ?? 'ok' }
        : { status: CALLER_LEFT, outcome: 'caller_left' };
      state.trace.end({ ...end, requestId: state.id, sessionId: state.echo?.sessionId });
      sink(toRecord(request.method, state, end));
    });
  };
}

/** Nginx's status for a caller who left before the answer, or did not take it. */
const CALLER_LEFT = 499;

function toRecord(
  method: string,
  state: RequestState,
  end: Pick<RequestRecord, 'status' | 'outcome'>,
): RequestRecord {
  return {
    request_id: state.id,
    ...(state.trace.traceId !== undefined && { trace_id: state.trace.traceId }),
    method,
    route: state.route,
    ...end,
    ...(state.caller && { caller: state.caller.name }),
    duration_ms: Math.round(performance.now() - state.startedAt),
    input_tokens: state.usage?.input_tokens ?? null,
    output_tokens: state.usage?.output_tokens ?? null,
  };
}
