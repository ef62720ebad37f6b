import { Counter, Histogram, type Registry } from 'prom-client';
import type { Usage } from '../../../contract/step.js';
import type { StepResult } from '../../step/react-step.js';
import type { Allowance } from '../limits/caller-limits.js';

/**
 * A request that was answered, or whose caller left. All its texts come from fixed lists; none comes from the
 * caller.
 */
export interface EndedRequest {
  readonly method: string;
  /** The declared path of the route. */
  readonly route: string;
  readonly status: number;
  readonly outcome: string;
  /** The limit that was exceeded, if the request was rejected for that. */
  readonly limit: keyof Allowance | undefined;
  /** Name of the configured upstream that was called. */
  readonly upstream: string | undefined;
  /** Usage as reported by the upstream; undefined if there was no completion. */
  readonly usage: Usage | undefined;
  readonly durationMs: number;
}

/**
 * Upper bounds of the duration buckets in seconds: from a request that is rejected at once to the default deadline
 * of a step.
 */
export const DURATION_BUCKETS = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 30, 60, 120,
];

/**
 * HTTP methods of the routes. All other methods are counted together: Node accepts about thirty more, and callers
 * could create a time series for each.
 */
const methods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'OPTIONS']);

const limits = {
  requestsPerMinute: 'requests_per_minute',
  requestsAtOnce: 'requests_at_once',
  tokensPerDay: 'tokens_per_day',
} as const satisfies Record<keyof Allowance, string>;

/** Counts requests and steps when they end. */
export class RequestMetrics {
  readonly #requests;
  readonly #requestSeconds;
  readonly #stepSeconds;
  readonly #limited;

  constructor(registry: Registry) {
    const registers = [registry];
    this.#requests = new Counter({
      name: 'stepwise_http_requests_total',
      help: 'Requests that the service answered, and requests that their caller aborted (status 499).',
      labelNames: ['route', 'method', 'status', 'outcome'],
      registers,
    });
    this.#requestSeconds = new Histogram({
      name: 'stepwise_http_request_duration_seconds',
      help: 'Time from the headers of a request to the last byte of its response.',
      labelNames: ['route'],
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.#stepSeconds = new Histogram({
      name: 'stepwise_step_duration_seconds',
      help: 'Duration of a step from its validated request to its result, including the model call.',
      labelNames: ['status'],
      buckets: DURATION_BUCKETS,
      registers,
    });
    this.#limited = new Counter({
      name: 'stepwise_limited_requests_total',
      help: 'Requests rejected because the caller exceeded a limit.',
      labelNames: ['limit'],
      registers,
    });
    for (const limit of Object.values(limits)) this.#limited.inc({ limit }, 0);
  }

  requestEnded({ method, route, status, outcome, limit, durationMs }: EndedRequest): void {
    this.#requests.inc({ route, method: methods.has(method) ? method : 'other', status, outcome });
    this.#requestSeconds.observe({ route }, durationMs / 1_000);
    if (limit) this.#limited.inc({ limit: limits[limit] });
  }

  stepEnded(status: StepResult['status'] | 'failed', durationMs: number): void {
    this.#stepSeconds.observe({ status }, durationMs / 1_000);
  }
}
