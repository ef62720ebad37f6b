import type { InterruptionReason } from '../step/interruption.js';
import type { ProviderFailure } from '../step/provider.js';

/**
 * Called when a request to a provider is sent, also for a second attempt (rule: second-request), to record traces
 * and metrics. The observer sees the destination and the outcome of a request, never its contents.
 */
export type RequestObserver = (request: ProviderRequest) => ObservedRequest;

export interface ProviderRequest {
  /** `openai`, `anthropic`, `offline`, or the name of a configured upstream. */
  readonly provider: string;
  readonly streamed: boolean;
  /** Scheme, host and port of the URL. */
  readonly origin: string;
}

export interface ObservedRequest {
  /** Headers to send along. The vendor's required headers take precedence. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Called when the first byte of the response body has arrived. Must not throw. */
  begun?(): void;
  /** Called once, when the response has ended or was aborted. Must not throw. */
  ended(end: RequestEnd): void;
}

export interface RequestEnd {
  /** HTTP status of the response; null if no response has begun. */
  readonly status: number | null;
  /**
   * The failure if no complete, readable response arrived; otherwise null. Any response that could be read is a
   * success, whatever it contains.
   */
  readonly failure: ProviderFailure | InterruptionReason | null;
}

/** Combines observers into one; undefined if there are none. */
export function observeTogether(
  ...given: readonly (RequestObserver | undefined)[]
): RequestObserver | undefined {
  const observers = given.filter((observer) => observer !== undefined);
  if (observers.length <= 1) return observers[0];
  return (request) => {
    const observed = observers.map((observe) => observe(request));
    return {
      headers: Object.assign({}, ...observed.map(({ headers }) => headers)),
      begun: () => {
        for (const each of observed) each.begun?.();
      },
      ended: (end) => {
        for (const each of observed) each.ended(end);
      },
    };
  };
}
