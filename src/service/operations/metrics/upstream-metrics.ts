import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { Usage } from '../../../contract/step.js';
import { DURATION_BUCKETS } from './request-metrics.js';
import type { EndedUpstreamRequest } from './upstream-requests.js';

/** What is counted of the usage that upstreams report. */
const tokenKinds = {
  input_tokens: 'whole prompts, their cached parts included',
  cached_input_tokens: 'parts of prompts that were read from a cache',
  output_tokens: 'replies, their reasoning included',
} as const satisfies Partial<Record<keyof Usage, string>>;
type TokenKind = keyof typeof tokenKinds;
const kindsOfTokens = Object.keys(tokenKinds) as TokenKind[]; // the keys of a literal

export interface Upstreams {
  readonly names: readonly string[];
  /** Requests that each has not answered to their end; none for a name that is not there. */
  readonly inFlight: ReadonlyMap<string, number>;
}

/** What upstreams were asked, and how they answered. Each configured one is there from the start, with zeros. */
export class UpstreamMetrics {
  readonly #seconds;
  readonly #firstByteSeconds;
  readonly #tokens: ReadonlyMap<TokenKind, Counter<'upstream'>>;

  constructor(registry: Registry, { names, inFlight }: Upstreams) {
    const registers = [registry];
    this.#seconds = new Histogram({
      name: 'stepwise_upstream_request_duration_seconds',
      help: 'Time of a request to an upstream, from its sending to the end of the answer.',
      labelNames: ['upstream', 'outcome'],
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.#firstByteSeconds = new Histogram({
      name: 'stepwise_upstream_first_byte_seconds',
      help: 'Time from the sending of a request to the first byte of its streamed reply.',
      labelNames: ['upstream'],
      buckets: DURATION_BUCKETS,
      registers,
    });
    new Gauge({
      name: 'stepwise_upstream_requests_in_flight',
      help: 'Requests to an upstream that are not answered to their end.',
      labelNames: ['upstream'],
      registers,
      collect() {
        for (const upstream of names) this.set({ upstream }, inFlight.get(upstream) ?? 0);
      },
    });
    this.#tokens = new Map(kindsOfTokens.map((kind) => [kind, tokenCounter(registry, kind)]));
    for (const upstream of names) this.#begin(upstream);
  }

  requestEnded({ upstream, outcome, durationMs, firstByteMs }: EndedUpstreamRequest): void {
    this.#seconds.observe({ upstream, outcome }, durationMs / 1_000);
    if (firstByteMs !== undefined) this.#firstByteSeconds.observe({ upstream }, firstByteMs / 1_000);
  }

  used(upstream: string, usage: Usage): void {
    for (const [kind, counter] of this.#tokens) counter.inc({ upstream }, usage[kind] ?? 0);
  }

  /** A series that is there from the start has its first increase seen. */
  #begin(upstream: string): void {
    this.#seconds.zero({ upstream, outcome: 'ok' });
    this.#firstByteSeconds.zero({ upstream });
    for (const counter of this.#tokens.values()) counter.inc({ upstream }, 0);
  }
}

function tokenCounter(registry: Registry, kind: TokenKind): Counter<'upstream'> {
  return new Counter({
    name: `stepwise_model_${kind}_total`,
    help: `Tokens as the upstreams count them: ${tokenKinds[kind]}.`,
    labelNames: ['upstream'],
    registers: [registry],
  });
}
