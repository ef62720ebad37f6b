import { type Span, SpanKind, type Tracer } from '@opentelemetry/api';
import type { RequestObserver } from '../../providers/request-observer.js';
import type { Provider } from '../../step/provider.js';
import type { During } from '../../step/step-dependencies.js';
import type { RequestTrace, TracedAnswer, TracedRequest } from './request-trace.js';
import { answerAttributes, errorTypeOf, requestAttributes, serverErrorOf } from './span-attributes.js';
import { endFailed, Spans, watched } from './spans.js';
import { readTraceContext, type TraceHeaders } from './trace-context.js';
import { tracedProvider } from './traced-provider.js';

/**
 * Records the spans of one request: one for the request, with a child for each stage of the step and each model
 * call.
 */
export class RecordedTrace implements RequestTrace {
  readonly #spans: Spans;
  readonly #request: Span;
  /**
   * The span of the stage that the step is in, such as `read_reply`; the span of the request between stages.
   */
  #current: Span;

  constructor(tracer: Tracer, request: TracedRequest) {
    this.#spans = new Spans(tracer, readTraceContext(request.headers));
    this.#request = this.#spans.first(`${request.method} ${request.route}`, {
      kind: SpanKind.SERVER,
      attributes: requestAttributes(request),
    });
    this.#current = this.#request;
  }

  get traceId(): string {
    return this.#request.spanContext().traceId;
  }

  readonly headers = (): TraceHeaders => this.#spans.headersOf(this.#current);

  readonly during: During = (stage, work) => {
    const span = this.#spans.within(this.#request, stage);
    this.#current = span;
    return watched(work, {
      done: () => {
        this.#current = this.#request;
        span.end();
      },
      failed: (thrown) => {
        this.#current = this.#request;
        endFailed(span, errorTypeOf(thrown));
      },
    });
  };

  connect(connect: (observe?: RequestObserver) => Provider, redact: (text: string) => string): Provider {
    return tracedProvider(connect, { spans: this.#spans, parent: this.#request, redact });
  }

  end(answer: TracedAnswer): void {
    this.#request.setAttributes(answerAttributes(answer));
    const error = serverErrorOf(answer);
    if (error === undefined) this.#request.end();
    else endFailed(this.#request, error);
  }
}
