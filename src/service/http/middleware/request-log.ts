import type { EndedRequest } from '../../operations/metrics/request-metrics.js';
import { type Outcome, openRequest, type Preparation, type RequestState } from './request-state.js';

/** One request that is over, for the log and the metrics: ids, codes and counts, never a text of the caller's. */
export interface RequestRecord extends EndedRequest {
  readonly id: string;
  /** Of the trace the request is a part of, if there is one. */
  readonly traceId: string | undefined;
  readonly outcome: Outcome;
  /** The name of the token that was sent, where the service asks for tokens. */
  readonly caller: string | undefined;
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
    response.once('close', () => {
      const end = isTaken
        ? ({ status: response.statusCode, outcome: state.outcome ?? 'ok' } as const)
        : callerLeft;
      state.trace.end({ requestId: state.id, sessionId: state.echo?.sessionId, ...end });
      sink(toRecord(request.method, state, end));
    });
  };
}

/** Nginx's status for a caller who left before the answer, or did not take it. */
const callerLeft = { status: 499, outcome: 'caller_left' } as const;

function toRecord(
  method: string,
  { id, trace, route, caller, limit, upstream, usage, startedAt }: RequestState,
  { status, outcome }: Pick<RequestRecord, 'status' | 'outcome'>,
): RequestRecord {
  return {
    id,
    traceId: trace.traceId,
    method,
    route,
    status,
    outcome,
    caller: caller?.name,
    limit,
    upstream,
    usage: usage ?? undefined,
    durationMs: performance.now() - startedAt,
  };
}

/** The one line of a request (rule: request-log). */
export function toLogLine(record: RequestRecord): object {
  const { id, traceId, method, route, status, outcome, limit, caller, usage, durationMs } = record;
  return {
    request_id: id,
    ...(traceId !== undefined && { trace_id: traceId }),
    method,
    route,
    status,
    outcome,
    ...(limit !== undefined && { limit }),
    ...(caller !== undefined && { caller }),
    duration_ms: Math.round(durationMs),
    input_tokens: usage?.input_tokens ?? null,
    output_tokens: usage?.output_tokens ?? null,
  };
}
