import type { InterruptionReason } from '../step/interruption.js';
import type { ProviderFailure } from '../step/provider.js';

/**
 * Told of each request to a provider when it is sent, for traces and metrics; the second one (rule: second-request) is told
 * by itself. It learns where a request goes and how it ends, and nothing that is said in it.
 */
export type RequestObserver = (request: ProviderRequest) => ObservedRequest;

export interface ProviderRequest {
  /** `openai`, `anthropic`, `offline`, or the name of a configured upstream. */
  readonly provider: string;
  readonly streamed: boolean;
  /** Scheme, host and port, and nothing else of the URL. */
  readonly origin: string;
}

interface ObservedRequest {
  /** Sent along; none of them is one that the vendor asks for. */
  readonly headers?: Readonly<Record<string, string>>;
  /** The first byte of the answer's body is there. Must not throw. */
  begun?(): void;
  /** Called once: the answer has come to its end, or was given up. Must not throw. */
  ended(end: RequestEnd): void;
}

export interface RequestEnd {
  /** Of the answer; null if none has begun. */
  readonly status: number | null;
  /** Why no answer has come, or not all of one; null if one has, whatever it says. */
  readonly failure: ProviderFailure | InterruptionReason | null;
}

/** One observer that tells several; undefined if there is none. */
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
