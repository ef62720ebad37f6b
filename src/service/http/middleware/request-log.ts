import type { ConnectionProblem } from '../../../network/connection-problem.js';
import type { EndedRequest } from '../../operations/metrics/request-metrics.js';
import type { Secret } from '../../providers/secret.js';
import { type Outcome, openRequest, type Preparation, type RequestState } from './request-state.js';

/**
 * The record of a finished request, for the log and the metrics: ids, codes and counts, never a text of the
 * caller.
 */
export interface RequestRecord extends EndedRequest {
  readonly id: string;
  /** Trace id; undefined if the request belongs to no trace. */
  readonly traceId: string | undefined;
  readonly outcome: Outcome;
  /** Problem of the connection to the provider; undefined if the provider could be reached. */
  readonly connectionProblem: ConnectionProblem | undefined;
  /** Problem of the connection to the context service; undefined if that service could be reached. */
  readonly contextProblem: ConnectionProblem | undefined;
  /** Name of the bearer token; undefined if the service requires none. */
  readonly caller: string | undefined;
}

/** Creates the state of each request, and passes its record to `sink` when it has ended. */
export function recordRequests(
  sink: (record: RequestRecord) => void,
  gatewaySecrets: readonly Secret[],
): Preparation {
  return (request, response) => {
    const state = openRequest(request, response, gatewaySecrets);
    response.on('finish', () => {
      // 'finish' also fires for a response that was aborted.
      state.isAnswered ||= !request.socket.destroyed;
    });
    response.once('close', () => {
      const end = state.isAnswered
        ? ({ status: response.statusCode, outcome: state.outcome ?? 'ok' } as const)
        : callerLeft;
      state.trace.end({ requestId: state.id, sessionId: state.echo?.sessionId, ...end });
      sink(toRecord(request.method, state, end));
    });
  };
}

/** Nginx's status for a caller who left before the response or did not read it. */
const callerLeft = { status: 499, outcome: 'caller_left' } as const;

function toRecord(
  method: string,
  {
    id,
    trace,
    route,
    caller,
    connectionProblem,
    contextProblem,
    limit,
    upstream,
    usage,
    startedAt,
  }: RequestState,
  { status, outcome }: Pick<RequestRecord, 'status' | 'outcome'>,
): RequestRecord {
  return {
    id,
    traceId: trace.traceId,
    method,
    route,
    status,
    outcome,
    connectionProblem,
    contextProblem,
    caller: caller?.name,
    limit,
    upstream,
    usage: usage ?? undefined,
    durationMs: performance.now() - startedAt,
  };
}

/** Returns the log line of a request (rule: request-log). */
export function toLogLine(record: RequestRecord): object {
  const {
    id,
    traceId,
    method,
    route,
    status,
    outcome,
    connectionProblem,
    contextProblem,
    limit,
    caller,
    usage,
    durationMs,
  } = record;
  return {
    request_id: id,
    ...(traceId !== undefined && { trace_id: traceId }),
    method,
    route,
    status,
    outcome,
    ...(connectionProblem !== undefined && { connection_problem: connectionProblem }),
    ...(contextProblem !== undefined && { context_problem: contextProblem }),
    ...(limit !== undefined && { limit }),
    ...(caller !== undefined && { caller }),
    duration_ms: Math.round(durationMs),
    input_tokens: usage?.input_tokens ?? null,
    output_tokens: usage?.output_tokens ?? null,
  };
}
