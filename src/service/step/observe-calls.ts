import type { StepDeadline } from './interruption.js';
import type { Completion, CompletionEvent, CompletionRequest, Provider } from './provider.js';

/** Observes one model call. Its functions must not throw. */
export interface CallObserver {
  /** Called with each event before the step receives it; for a plain reply only with the completion. */
  event?(event: CompletionEvent): void;
  failed?(thrown: unknown): void;
  /** Called last, also if the step stops reading the reply. */
  ended?(): void;
}

/** A model call that begins, which must not be kept (rule: lean-waiting). */
export interface BegunCall {
  readonly request: CompletionRequest;
  readonly deadline: StepDeadline;
  readonly streamed: boolean;
}

/**
 * Returns a provider that makes the same calls. `begin` is called before each of them and may return an observer of
 * the call.
 */
export function observeCalls(
  provider: Provider,
  begin: (call: BegunCall) => CallObserver | undefined,
): Provider {
  return {
    name: provider.name,
    complete(request, deadline) {
      const observer = begin({ request, deadline, streamed: false });
      const completion = provider.complete(request, deadline);
      return observer ? observed(completion, observer) : completion;
    },
    stream(request, deadline) {
      const observer = begin({ request, deadline, streamed: true });
      const events = provider.stream(request, deadline);
      return observer ? observedStream(events, observer) : events;
    },
  };
}

async function observed(pending: Promise<Completion>, observer: CallObserver): Promise<Completion> {
  try {
    const completion = await pending;
    observer.event?.({ type: 'completion', completion });
    return completion;
  } catch (thrown) {
    observer.failed?.(thrown);
    throw thrown;
  } finally {
    observer.ended?.();
  }
}

async function* observedStream(
  events: AsyncIterable<CompletionEvent>,
  observer: CallObserver,
): AsyncGenerator<CompletionEvent> {
  try {
    for await (const event of events) {
      observer.event?.(event);
      yield event;
    }
  } catch (thrown) {
    observer.failed?.(thrown);
    throw thrown;
  } finally {
    observer.ended?.();
  }
}
