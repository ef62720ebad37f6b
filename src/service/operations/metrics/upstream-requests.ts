import type { RequestEnd, RequestObserver } from '../../providers/request-observer.js';

/** How far a request to an upstream came. */
type UpstreamOutcome =
  | 'ok'
  | 'rejected'
  | 'rate_limited'
  | 'overloaded'
  | 'failed'
  | NonNullable<RequestEnd['failure']>;

/** A request to an upstream that is over. */
export interface EndedUpstreamRequest {
  /** The name of a configured upstream. */
  readonly upstream: string;
  readonly outcome: UpstreamOutcome;
  readonly durationMs: number;
  /** Until the first byte of a streamed reply; undefined if there was none. */
  readonly firstByteMs: number | undefined;
}

/** Looks on while upstreams are asked. */
export class UpstreamRequests {
  /** How many each upstream has not answered yet. */
  readonly inFlight = new Map<string, number>();
  readonly #ended: (request: EndedUpstreamRequest) => void;

  constructor(ended: (request: EndedUpstreamRequest) => void) {
    this.#ended = ended;
  }

  readonly observe: RequestObserver = ({ provider: upstream, streamed }) => {
    const begun = performance.now();
    let firstByteMs: number | undefined;
    this.#add(upstream, 1);
    return {
      begun: () => {
        firstByteMs = performance.now() - begun;
      },
      ended: (end) => {
        this.#add(upstream, -1);
        const outcome = outcomeOf(end);
        const durationMs = performance.now() - begun;
        const isReply = streamed && (end.status ?? 0) < 300;
        this.#ended({ upstream, outcome, durationMs, firstByteMs: isReply ? firstByteMs : undefined });
      },
    };
  };

  #add(upstream: string, requests: number): void {
    this.inFlight.set(upstream, (this.inFlight.get(upstream) ?? 0) + requests);
  }
}

const TOO_MANY_REQUESTS = 429;
/** HTTP's own status for it, and Anthropic's. */
const overloaded: readonly number[] = [503, 529];

function outcomeOf({ status, failure }: RequestEnd): UpstreamOutcome {
  if (failure) return failure;
  if (status === null || status < 300) return 'ok';
  if (status === TOO_MANY_REQUESTS) return 'rate_limited';
  if (overloaded.includes(status)) return 'overloaded';
  return status >= 400 && status < 500 ? 'rejected' : 'failed';
}
