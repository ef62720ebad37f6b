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

/** Creates the spans of one trace, each with an explicit parent: no context is carried along with the process' callbacks. */
export class Spans {
  readonly #tracer: Tracer;
  readonly #caller: TraceContext | undefined;

  constructor(tracer: Tracer, caller: TraceContext | undefined) {
    this.#tracer = tracer;
    this.#caller = caller;
  }

  /** Starts a span in the caller's trace, if it has one. The trace's state is passed on but in no span: it may hold anything. */
  first(name: string, options: SpanOptions): Span {
    if (!this.#caller) return this.#tracer.startSpan(name, options, ROOT_CONTEXT);
    const { traceId, parentId: spanId, flags } = this.#caller;
    const parent = { traceId, spanId, traceFlags: flags & TraceFlags.SAMPLED, isRemote: true };
    return this.#tracer.startSpan(name, options, trace.setSpanContext(ROOT_CONTEXT, parent));
  }

  /** Starts a span within another. */
  within(parent: Span, name: string, options: SpanOptions = {}): Span {
    return this.#tracer.startSpan(name, options, trace.setSpan(ROOT_CONTEXT, parent));
  }

  /** Returns the headers that make a request part of a span. */
  headersOf(span: Span): TraceHeaders {
    const { traceId, spanId: parentId, traceFlags: flags } = span.spanContext();
    return traceHeaders({ traceId, parentId, flags, state: this.#caller?.state ?? '' });
  }
}

/** Ends a span that failed. Its status has no words (rule: span-contents). */
export function endFailed(span: Span, errorType: string): void {
  span.setAttribute('error.type', errorType).setStatus({ code: SpanStatusCode.ERROR }).end();
}

/** Callbacks for the end of some work. */
export interface Watch<Result> {
  done(result: Result): void;
  failed(thrown: unknown): void;
}

/** Runs `work`, calls back when it has ended, and returns its result unchanged. */
export function watched<Result>(work: () => Result, { done, failed }: Watch<Awaited<Result>>): Result {
  let result: Result;
  try {
    result = work();
  } catch (thrown) {
    failed(thrown);
    throw thrown;
  }
  if (result instanceof Promise) result.then(done, failed);
  else done(result as Awaited<Result>); // it is no promise
  return result;
}
