import { onDemand } from '../../../event-loop/on-demand.js';
import type { RequestObserver } from '../../providers/request-observer.js';
import type { reactStep } from '../../step/react-step.js';
import type { Exposition, LoadedMetrics } from './loaded-metrics.js';
import type { EndedRequest, EndedStep } from './request-metrics.js';
import type { ServiceState } from './state-metrics.js';

type Count = (metrics: LoadedMetrics) => void;

/**
 * The metrics of one service (rule: metrics). The Prometheus library is loaded after startup; events before that
 * are kept, and counted when it is loaded.
 */
export class ServiceMetrics {
  readonly #loading;
  readonly #upstreamsInFlight = new Map<string, number>();
  #loaded: LoadedMetrics | undefined;
  #uncounted: Count[] = [];

  constructor(state: ServiceState) {
    this.#loading = onDemand(async () => {
      const { loadMetrics } = await import('./loaded-metrics.js');
      const loaded = await loadMetrics(state, this.#upstreamsInFlight);
      this.#loaded = loaded;
      for (const count of this.#uncounted.splice(0)) count(loaded);
      return loaded;
    });
  }

  async load(): Promise<void> {
    await this.#loading.get();
  }

  async read(): Promise<Exposition> {
    return (await this.#loading.get()).read();
  }

  requestEnded(request: EndedRequest): void {
    const { upstream, usage } = request;
    this.#count(({ requests, upstreams }) => {
      requests.requestEnded(request);
      if (upstream !== undefined && usage) upstreams.used(upstream, usage);
    });
  }

  /** Counts each request that is sent to an upstream. */
  readonly observeUpstreams: RequestObserver = ({ provider: upstream, streamed }) => {
    const begun = performance.now();
    let firstByteMs: number | undefined;
    this.#addInFlight(upstream, 1);
    return {
      begun: () => {
        firstByteMs = performance.now() - begun;
      },
      ended: (end) => {
        this.#addInFlight(upstream, -1);
        const durationMs = performance.now() - begun;
        const isReply = streamed && (end.status ?? 0) < 300;
        const ended = { upstream, end, durationMs, firstByteMs: isReply ? firstByteMs : undefined };
        this.#count(({ upstreams }) => upstreams.requestEnded(ended));
      },
    };
  };

  #addInFlight(upstream: string, requests: number): void {
    this.#upstreamsInFlight.set(upstream, (this.#upstreamsInFlight.get(upstream) ?? 0) + requests);
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
    const ended = (status: EndedStep['status']): void => {
      const durationMs = performance.now() - begun;
      this.#count(({ requests }) => requests.stepEnded({ status, durationMs }));
    };
    result.then(
      ({ status }) => ended(status),
      () => ended('failed'),
    );
  }

  #count(count: Count): void {
    if (this.#loaded) count(this.#loaded);
    else if (this.#uncounted.length < MAX_UNCOUNTED) this.#uncounted.push(count);
  }
}

/**
 * Maximum number of events that are kept until the Prometheus library is loaded. It is exceeded only if the library
 * cannot be loaded.
 */
const MAX_UNCOUNTED = 10_000;
