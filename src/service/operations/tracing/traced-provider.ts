import { type Span, SpanKind } from '@opentelemetry/api';
import type { ObservedRequest, RequestObserver } from '../../providers/request-observer.js';
import { type CallObserver, observeCalls } from '../../step/observe-calls.js';
import type { Provider } from '../../step/provider.js';
import {
  callAttributes,
  completionAttributes,
  errorTypeOf,
  exchangeAttributes,
  exchangeEndAttributes,
  exchangeErrorOf,
  modelName,
} from './span-attributes.js';
import { endFailed, type Spans } from './spans.js';

interface CallOptions {
  readonly spans: Spans;
  /** The span that is the parent of the spans of calls. */
  readonly parent: Span;
  /** Removes the caller's key from a text. */
  readonly redact: (text: string) => string;
}

/** Connects a provider that records a span for each call, and a child span for each request that is sent for it. */
export function tracedProvider(
  connect: (observe: RequestObserver) => Provider,
  { spans, parent, redact }: CallOptions,
): Provider {
  let call = parent;
  let requests = 0;
  const provider = connect((request) => {
    const span = spans.within(call, 'POST', {
      kind: SpanKind.CLIENT,
      attributes: exchangeAttributes(request, requests),
    });
    requests += 1;
    return observeRequest(span, spans);
  });
  return observeCalls(provider, ({ request, streamed }) => {
    const model = modelName(request.model, redact);
    call = spans.within(parent, model === undefined ? 'chat' : `chat ${model}`, {
      kind: SpanKind.CLIENT,
      attributes: callAttributes(request, { provider: provider.name, streamed, model }),
    });
    requests = 0;
    return observeCall(call, { streamed, redact });
  });
}

const observeRequest = (span: Span, spans: Spans): ObservedRequest => ({
  headers: spans.headersOf(span),
  ended(end) {
    span.setAttributes(exchangeEndAttributes(end));
    const error = exchangeErrorOf(end);
    if (error === undefined) span.end();
    else endFailed(span, error);
  },
});

function observeCall(
  span: Span,
  { streamed, redact }: { readonly streamed: boolean; readonly redact: (text: string) => string },
): CallObserver {
  const start = performance.now();
  let isFirst = streamed;
  return {
    event(event) {
      if (isFirst)
        span.setAttribute('gen_ai.response.time_to_first_chunk', (performance.now() - start) / 1_000);
      isFirst = false;
      if (event.type !== 'completion') return;
      const { completion } = event;
      span.setAttributes(completionAttributes(completion, modelName(completion.model, redact))).end();
    },
    failed: (thrown) => endFailed(span, errorTypeOf(thrown)),
    ended() {
      if (span.isRecording()) span.end();
    },
  };
}
