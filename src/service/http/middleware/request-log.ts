import type { Logger } from 'pino';
import type { EndedRequest } from '../../operations/metrics/request-metrics.js';
import type { ServiceMetrics } from '../../operations/metrics/service-metrics.js';
import type { Secret } from '../../providers/secret.js';
import { openRequest, type Preparation, type RequestState } from './request-state.js';

interface LogOptions {
  readonly log: Logger;
  /** Counts each ended request. */
  readonly metrics: ServiceMetrics | undefined;
  /** Credentials that must not occur in a request id. */
  readonly gatewaySecrets: readonly Secret[];
}

/** Creates the state of each request. When the request has ended, logs and counts it, and ends its trace. */
export function recordRequests({ log, metrics, gatewaySecrets }: LogOptions): Preparation {
  return (request, response) => {
    const state = openRequest(request, response, gatewaySecrets);
    response.on('finish', () => {
      // 'finish' also fires for a response that was aborted.
      state.isAnswered ||= !request.socket.destroyed;
    });
    response.once('close', () => {
      const end = state.isAnswered
        ? { status: response.statusCode, outcome: state.outcome ?? 'ok' }
        : callerLeft;
      const { route, limit, upstream, usage } = state;
      const durationMs = performance.now() - state.startedAt;
      const ended = { method: request.method, route, ...end, limit, upstream, usage, durationMs };
      state.trace.end({ requestId: state.id, sessionId: state.echo?.sessionId, ...end });
      log.info(toLogLine(state, ended), 'request');
      metrics?.requestEnded(ended);
    });
  };
}

/** Nginx's status for a caller who left before the response or did not read it. */
const callerLeft = { status: 499, outcome: 'caller_left' };

/** Returns the log line of a request: ids, codes and counts, never a text of the caller (rule: request-log). */
function toLogLine(
  { id, trace, connectionProblem, contextProblem, caller }: RequestState,
  { method, route, status, outcome, limit, usage, durationMs }: EndedRequest,
): object {
  // The logger omits undefined fields.
  return {
    request_id: id,
    trace_id: trace.traceId,
    method,
    route,
    status,
    outcome,
    connection_problem: connectionProblem,
    context_problem: contextProblem,
    limit,
    caller: caller?.name,
    duration_ms: Math.round(durationMs),
    input_tokens: usage?.input_tokens ?? null,
    output_tokens: usage?.output_tokens ?? null,
  };
}
