import type { RequestObserver } from '../../providers/request-observer.js';
import type { Provider } from '../../step/provider.js';
import type { During } from '../../step/step-dependencies.js';
import { readTraceContext, type TraceContext, type TraceHeaders, traceHeaders } from './trace-context.js';

/** The tracing of a service (rule: tracing). */
export interface Tracing {
  begin(request: TracedRequest): RequestTrace;
  /** Sends the waiting spans, for a limited time. */
  close(): Promise<void>;
}

export interface TracedRequest {
  readonly method: string;
  /** The path of the route as declared, not as sent, because a sent path may contain anything. */
  readonly route: string;
  readonly headers: Readonly<Partial<Record<string, string | string[]>>>;
}

/** The part of a trace that belongs to one request. */
export interface RequestTrace {
  /** 32 hexadecimal digits; undefined without a trace. */
  readonly traceId: string | undefined;
  /** Runs the work of a stage of the step inside a span. */
  readonly during: During;
  /** Returns the trace headers for an outgoing request that is made on behalf of this request. */
  readonly headers: () => TraceHeaders;
  /**
   * Returns a provider whose calls belong to the trace. `connect` creates that provider. The observer that `connect`
   * receives must be called for each request to the provider. `redact` removes secrets, such as the model key, from a
   * text.
   */
  connect(connect: (observe?: RequestObserver) => Provider, redact: (text: string) => string): Provider;
  /** Ends the trace. Must be called after the response was sent or the caller left. */
  end(answer: TracedAnswer): void;
}

export interface TracedAnswer {
  /** HTTP status; 499 if the caller left. */
  readonly status: number;
  /** Outcome of the request: an error code, or the outcome of the parser. */
  readonly outcome: string;
  readonly requestId: string;
  /** Id of the run; absent if the request was not read. */
  readonly sessionId?: string | undefined;
}

/** Records no spans; only passes the trace headers of callers on to providers (rule: trace-context). */
export const passOnTraces: Tracing = {
  begin({ headers }) {
    const context = readTraceContext(headers);
    return context ? passOn(context) : untraced;
  },
  close: async () => {},
};

/** The trace of a request without trace headers. */
export const untraced: RequestTrace = {
  traceId: undefined,
  during: (_, work) => work(),
  headers: () => ({}),
  connect: (connect) => connect(),
  end: () => {},
};

function passOn(context: TraceContext): RequestTrace {
  const headers = traceHeaders(context);
  const observed = { headers, ended: () => {} };
  return {
    ...untraced,
    traceId: context.traceId,
    headers: () => headers,
    connect: (connect) => connect(() => observed),
  };
}
