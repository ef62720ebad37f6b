import { collectDefaultMetrics, Registry } from 'prom-client';
import type { reactStep } from '../../step/react-step.js';
import { type EndedRequest, RequestMetrics } from './request-metrics.js';
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
  /** The metrics of the upstreams, whose `begin` must be called before their first request. */
  readonly upstreams = new UpstreamMetrics(this.#own);
  readonly #all;

  constructor(state: ServiceState) {
    addStateMetrics(this.#own, state);
    this.#all = Registry.merge([this.#own, processMetrics]); // contains only metrics that exist by now
  }

  async read(): Promise<Exposition> {
    return { contentType: this.#all.contentType, text: await this.#all.metrics() };
  }

  requestEnded(request: EndedRequest): void {
    const { upstream, usage } = request;
    this.#requests.requestEnded(request);
    if (upstream !== undefined && usage) this.upstreams.used(upstream, usage);
  }

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
    result.then(
      ({ status }) => this.#requests.stepEnded(status, performance.now() - begun),
      () => this.#requests.stepEnded('failed', performance.now() - begun),
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
