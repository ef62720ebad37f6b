import { type Span, SpanKind } from '@opentelemetry/api';
import type { RequestObserver } from '../../providers/request-observer.js';
import type { StepDeadline } from '../../step/interruption.js';
import type { Completion, CompletionEvent, CompletionRequest, Provider } from '../../step/provider.js';
import {
  callAttributes,
  completionAttributes,
  errorTypeOf,
  exchangeAttributes,
  exchangeEndAttributes,
  exchangeErrorOf,
  modelName,
} from './span-attributes.js';
import { endFailed, type Spans, type Watch, watched } from './spans.js';

interface CallOptions {
  readonly spans: Spans;
  /** The span that is the parent of the spans of calls. */
  readonly parent: Span;
  /** Removes the caller's key from a text. */
  readonly redact: (text: string) => string;
}

/** A provider that records a span for each call, and a child span for each request that is sent for it. */
export class TracedProvider implements Provider {
  readonly #provider: Provider;
  readonly #options: CallOptions;
  #call: Span;
  #requests = 0;

  constructor(connect: (observe: RequestObserver) => Provider, options: CallOptions) {
    this.#provider = connect(this.#observe);
    this.#options = options;
    this.#call = options.parent;
  }

  get name(): string {
    return this.#provider.name;
  }

  complete(request: CompletionRequest, deadline: StepDeadline): Promise<Completion> {
    const watch = this.#begin(request, false);
    return watched<Promise<Completion>>(() => this.#provider.complete(request, deadline), watch);
  }

  stream(request: CompletionRequest, deadline: StepDeadline): AsyncIterable<CompletionEvent> {
    const watch = this.#begin(request, true);
    return relay(this.#provider.stream(request, deadline), this.#call, watch);
  }

  #begin(request: CompletionRequest, streamed: boolean): Watch<Completion> {
    const { spans, parent, redact } = this.#options;
    const model = modelName(request.model, redact);
    this.#call = spans.within(parent, model === undefined ? 'chat' : `chat ${model}`, {
      kind: SpanKind.CLIENT,
      attributes: callAttributes(request, { provider: this.name, streamed, model }),
    });
    this.#requests = 0;
    return this.#watch(model);
  }

  /**
   * Returns the callbacks for the end of a call, which live until the model has replied. This code is a separate
   * method so that they do not keep the request in memory (rule: lean-waiting).
   */
  #watch(asked: string | undefined): Watch<Completion> {
    const span = this.#call;
    const { redact } = this.#options;
    return {
      done(completion) {
        const model = completion.model === asked ? asked : modelName(completion.model, redact);
        span.setAttributes(completionAttributes(completion, model)).end();
      },
      failed: (thrown) => endFailed(span, errorTypeOf(thrown)),
    };
  }

  readonly #observe: RequestObserver = (request) => {
    const { spans } = this.#options;
    const attributes = exchangeAttributes(request, this.#requests);
    const span = spans.within(this.#call, 'POST', { kind: SpanKind.CLIENT, attributes });
    this.#requests += 1;
    return {
      headers: spans.headersOf(span),
      ended(end) {
        span.setAttributes(exchangeEndAttributes(end));
        const error = exchangeErrorOf(end);
        if (error === undefined) span.end();
        else endFailed(span, error);
      },
    };
  };
}

/** Relays the events of a reply. Also ends the span if the consumer stops reading early. */
async function* relay(
  events: AsyncIterable<CompletionEvent>,
  span: Span,
  { done, failed }: Watch<Completion>,
): AsyncGenerator<CompletionEvent> {
  const start = performance.now();
  let isFirst = true;
  try {
    for await (const event of events) {
      if (isFirst)
        span.setAttribute('gen_ai.response.time_to_first_chunk', (performance.now() - start) / 1_000);
      isFirst = false;
      if (event.type === 'completion') done(event.completion);
      yield event;
    }
  } catch (thrown) {
    failed(thrown);
    throw thrown;
  } finally {
    if (span.isRecording()) span.end();
  }
}
