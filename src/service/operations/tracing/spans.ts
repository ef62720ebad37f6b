import {
  type Attributes,
  ROOT_CONTEXT,
  type Span,
  type SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
} from '@opentelemetry/api';
import { type TraceContext, type TraceHeaders, traceHeaders } from './trace-context.js';

interface SpanOptions {
  readonly kind?: SpanKind;
  readonly attributes?: Attributes;
}

/**
 * Creates the spans of one trace. Each span gets its parent explicitly, so that no asynchronous context has to be
 * tracked.
 */
export class Spans {
  readonly #tracer: Tracer;
  readonly #caller: TraceContext | undefined;

  constructor(tracer: Tracer, caller: TraceContext | undefined) {
    this.#tracer = tracer;
    this.#caller = caller;
  }

  /**
   * Starts the first span, as a child of the caller's trace if there is one. The caller's trace state is passed on
   * but not recorded, because it may contain anything.
   */
  first(name: string, options: SpanOptions): Span {
    if (!this.#caller) return this.#tracer.startSpan(name, options, ROOT_CONTEXT);
    const { traceId, parentId: spanId, flags } = this.#caller;
    const parent = { traceId, spanId, traceFlags: flags & TraceFlags.SAMPLED, isRemote: true };
    return this.#tracer.startSpan(name, options, trace.setSpanContext(ROOT_CONTEXT, parent));
  }

  /** Starts a span as a child of another. */
  within(parent: Span, name: string, options: SpanOptions = {}): Span {
    return this.#tracer.startSpan(name, options, trace.setSpan(ROOT_CONTEXT, parent));
  }

  /** Returns the trace headers of an outgoing request that belongs to a span. */
  headersOf(span: Span): TraceHeaders {
    const { traceId, spanId: parentId, traceFlags: flags } = span.spanContext();
    return traceHeaders({ traceId, parentId, flags, state: this.#caller?.state ?? '' });
  }
}

/** Ends a span that failed, without a status message (rule: span-contents). */
export function endFailed(span: Span, errorType: string): void {
  span.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR }).end();
}

/** Callbacks for the end of an operation. */
interface Watch<Result> {
  done(result: Result): void;
  failed(thrown: unknown): void;
}

/** Runs `work`, calls the matching callback when it has ended, and returns its result unchanged. */
export function watched<Result>(work: () => Result, { done, failed }: Watch<Awaited<Result>>): Result {
  let result: Result;
  try {
    result = work();
  } catch (thrown) {
    failed(thrown);
    throw thrown;
  }
  if (result instanceof Promise) result.then(done, failed);
  else done(result as Awaited<Result>); // cast: not a promise
  return result;
}
