import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Usage } from '../../../contract/step.js';
import type { RequestEnd, RequestObserver } from '../../providers/request-observer.js';
import { DURATION_BUCKETS } from './request-metrics.js';

/** The counted parts of the usage that providers report, with their descriptions. */
const tokenKinds = {
  input_tokens: 'whole prompts, including cached parts',
  cached_input_tokens: 'parts of prompts read from a cache',
  output_tokens: 'replies, including reasoning',
} as const satisfies Partial<Record<keyof Usage, string>>;
type TokenKind = keyof typeof tokenKinds;
const kindsOfTokens = Object.keys(tokenKinds) as TokenKind[]; // cast: the keys of a literal object

const TOO_MANY_REQUESTS = 429;
/** Statuses of an overloaded server: HTTP's own, and Anthropic's. */
const overloaded: readonly number[] = [503, 529];

/** Returns the outcome label of a request, from a closed list (rule: metrics). */
function outcomeOf({ status, failure }: RequestEnd): string {
  if (failure) return failure;
  if (status === null || status < 300) return 'ok';
  if (status === TOO_MANY_REQUESTS) return 'rate_limited';
  if (overloaded.includes(status)) return 'overloaded';
  return status >= 400 && status < 500 ? 'rejected' : 'failed';
}

/** Measures requests to upstreams, and counts the tokens that the upstreams report. */
export class UpstreamMetrics {
  readonly #seconds;
  readonly #firstByteSeconds;
  readonly #inFlight;
  readonly #tokens: ReadonlyMap<TokenKind, Counter<'upstream'>>;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#seconds = new Histogram({
      name: 'stepwise_upstream_request_duration_seconds',
      help: 'Time from sending a request to an upstream until the end of its response.',
      labelNames: ['upstream', 'outcome'],
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.#firstByteSeconds = new Histogram({
      name: 'stepwise_upstream_first_byte_seconds',
      help: 'Time from sending a request until the first byte of its streamed reply.',
      labelNames: ['upstream'],
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.#inFlight = new Gauge({
      name: 'stepwise_upstream_requests_in_flight',
      help: 'Requests to an upstream whose response has not ended.',
      labelNames: ['upstream'],
      registers,
    });
    this.#tokens = new Map(kindsOfTokens.map((kind) => [kind, tokenCounter(registry, kind)]));
  }

  /** Creates the time series of an upstream with the value 0, so that their first increase is visible. */
  begin(upstream: string): void {
    this.#seconds.zero({ upstream, outcome: 'ok' });
    this.#firstByteSeconds.zero({ upstream });
    this.#inFlight.set({ upstream }, 0);
    for (const counter of this.#tokens.values()) counter.inc({ upstream }, 0);
  }

  /** Measures each request that is sent to an upstream. */
  readonly observe: RequestObserver = ({ provider: upstream, streamed }) => {
    const begun = performance.now();
    let firstByteMs: number | undefined;
    this.#inFlight.inc({ upstream });
    return {
      begun: () => {
        firstByteMs = performance.now() - begun;
      },
      ended: (end) => {
        const isReply = streamed && (end.status ?? 0) < 300;
        this.#inFlight.dec({ upstream });
        this.#seconds.observe({ upstream, outcome: outcomeOf(end) }, (performance.now() - begun) / 1_000);
        if (isReply && firstByteMs !== undefined)
          this.#firstByteSeconds.observe({ upstream }, firstByteMs / 1_000);
      },
    };
  };

  used(upstream: string, usage: Usage): void {
    for (const [kind, counter] of this.#tokens) counter.inc({ upstream }, usage[kind] ?? 0);
  }
}

function tokenCounter(registry: Registry, kind: TokenKind): Counter<'upstream'> {
  return new Counter({
    name: `stepwise_model_${kind}_total`,
    help: `Tokens as reported by the upstreams: ${tokenKinds[kind]}.`,
    labelNames: ['upstream'],
    registers: [registry],
  });
}
