import { collectDefaultMetrics, Registry } from 'prom-client';
import type { RequestObserver } from '../../providers/request-observer.js';
import type { reactStep } from '../../step/react-step.js';
import { type EndedRequest, type EndedStep, RequestMetrics } from './request-metrics.js';
import { addStateMetrics, type ServiceState } from './state-metrics.js';
import { UpstreamMetrics } from './upstream-metrics.js';

/** The metrics in the text format of Prometheus. */
interface Exposition {
  readonly contentType: string;
  readonly text: string;
}

/** The metrics of one service (rule: metrics). */
export class ServiceMetrics {
  readonly #own = new Registry();
  readonly #requests = new RequestMetrics(this.#own);
  readonly #upstreams = new UpstreamMetrics(this.#own);
  readonly #all;

  constructor(state: ServiceState) {
    addStateMetrics(this.#own, state);
    this.#all = Registry.merge([this.#own, processMetrics]); // contains only metrics that exist by now
  }

  /** Creates the time series of the configured upstreams. Must be called before their first request. */
  beginUpstreams(names: readonly string[]): void {
    for (const name of names) this.#upstreams.begin(name);
  }

  async read(): Promise<Exposition> {
    return { contentType: this.#all.contentType, text: await this.#all.metrics() };
  }

  requestEnded(request: EndedRequest): void {
    const { upstream, usage } = request;
    this.#requests.requestEnded(request);
    if (upstream !== undefined && usage) this.#upstreams.used(upstream, usage);
  }

  /** Counts each request that is sent to an upstream. */
  readonly observeUpstreams: RequestObserver = ({ provider: upstream, streamed }) => {
    const begun = performance.now();
    let firstByteMs: number | undefined;
    this.#upstreams.requestBegan(upstream);
    return {
      begun: () => {
        firstByteMs = performance.now() - begun;
      },
      ended: (end) => {
        const durationMs = performance.now() - begun;
        const isReply = streamed && (end.status ?? 0) < 300;
        this.#upstreams.requestEnded({
          upstream,
          end,
          durationMs,
          firstByteMs: isReply ? firstByteMs : undefined,
        });
      },
    };
  };

  /**
   * Returns a function that makes the same steps and also measures their duration. Keeps no reference to the request
   * (rule: lean-waiting).
   */
  timed(step: typeof reactStep): typeof reactStep {
    return (request, dependencies, observer) => {
      const begun = performance.now();
      const result = step(request, dependencies, observer);
      this.#countDuration(result, begun);
      return result;
    };
  }

  #countDuration(result: ReturnType<typeof reactStep>, begun: number): void {
    const ended = (status: EndedStep['status']): void =>
      this.#requests.stepEnded({ status, durationMs: performance.now() - begun });
    result.then(
      ({ status }) => ended(status),
      () => ended('failed'),
    );
  }
}

/** Process metrics: memory, CPU, handles and event loop. Services in one process share them. */
const processMetrics = new Registry();
collectDefaultMetrics({ register: processMetrics });

/** Gauges of the Prometheus library whose names end in `_total`, although only names of counters should. */
const misnamed = [
  'nodejs_active_handles_total',
  'nodejs_active_requests_total',
  'nodejs_active_resources_total',
];
for (const name of misnamed) processMetrics.removeSingleMetric(name);
