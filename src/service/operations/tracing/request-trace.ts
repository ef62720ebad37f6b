import type { RequestObserver } from '../../providers/request-observer.js';
import type { Provider } from '../../step/provider.js';
import type { During } from '../../step/step-dependencies.js';
import { readTraceContext, type TraceContext, type TraceHeaders, traceHeaders } from './trace-context.js';

/** Where the requests of a service are told (rule: tracing). */
export interface Tracing {
  /** A request has come. */
  begin(request: TracedRequest): RequestTrace;
  /** Sends what still waits, for a bounded time. */
  close(): Promise<void>;
}

export interface TracedRequest {
  readonly method: string;
  /** As it is declared; what was sent may hold anything. */
  readonly route: string;
  readonly headers: Readonly<Partial<Record<string, string | string[]>>>;
}

/** One request in its caller's trace. */
export interface RequestTrace {
  /** 32 hexadecimal digits; undefined if there is no trace. */
  readonly traceId: string | undefined;
  /** Does the work of a verb, as a part of the trace. */
  readonly during: During;
  /** What to send with a request that is made for this one, now. */
  readonly headers: () => TraceHeaders;
  /** A provider whose calls are parts of the trace. `connect` makes it, with what is to be told of its requests. */
  connect(connect: (observe?: RequestObserver) => Provider, key?: Redactor): Provider;
  /** The answer has left, or nobody is there to take it. */
  end(answer: TracedAnswer): void;
}

/** Takes a caller's secrets out of a text. */
export interface Redactor {
  redact(text: string): string;
}

export interface TracedAnswer {
  /** 499 if the caller left. */
  readonly status: number;
  /** An error code, or how the reply was read. */
  readonly outcome: string;
  readonly requestId: string;
  /** The run that the request is a step of; absent if it was never read. */
  readonly sessionId?: string | undefined;
}

/** Records nothing, and passes on what callers send. */
export const passOnTraces: Tracing = {
  begin({ headers }) {
    const context = readTraceContext(headers);
    return context ? passOn(context) : untraced;
  },
  close: async () => {},
};

/** Part of no trace. */
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
