import { onDemand } from '../../../event-loop/on-demand.js';
import type { RequestObserver } from '../../providers/request-observer.js';
import type { reactStep } from '../../step/react-step.js';
import type { Exposition, LoadedMetrics } from './registry.js';
import type { EndedRequest, EndedStep } from './request-metrics.js';
import type { ServiceState } from './service-state.js';
import { UpstreamRequests } from './upstream-requests.js';

/** In milliseconds: what ends within so short a time is counted together, and no request waits for that. */
const GATHERED_MS = 20;

type Count = (metrics: LoadedMetrics) => void;

/** The metrics of one service (rule: metrics). They are loaded after the start; what ends before is counted then. */
export class ServiceMetrics {
  readonly #loading;
  readonly #asked = new UpstreamRequests((request) =>
    this.#count(({ upstreams }) => upstreams.requestEnded(request)),
  );
  #uncounted: Count[] = [];

  constructor(state: ServiceState) {
    this.#loading = onDemand(async () => {
      const { openRegistry } = await import('./registry.js');
      const names = await state.upstreams();
      return openRegistry(state, { names, inFlight: this.#asked.inFlight });
    });
  }

  async load(): Promise<void> {
    await this.#loading.get();
  }

  async read(): Promise<Exposition> {
    const metrics = await this.#loading.get();
    this.#countWith(metrics);
    return metrics.read();
  }

  requestEnded(request: EndedRequest): void {
    const { upstream, usage } = request;
    this.#count(({ requests, upstreams }) => {
      requests.requestEnded(request);
      if (upstream !== undefined && usage) upstreams.used(upstream, usage);
    });
  }

  /** Told of each request to an upstream. */
  get observeUpstreams(): RequestObserver {
    return this.#asked.observe;
  }

  /** The same step, with its time taken. Nothing of the request is held meanwhile (rule: lean-waiting). */
  timed(step: typeof reactStep): typeof reactStep {
    return (request, dependencies, observer) => {
      const begun = performance.now();
      const result = step(request, dependencies, observer);
      this.#takeTime(result, begun);
      return result;
    };
  }

  #takeTime(result: ReturnType<typeof reactStep>, begun: number): void {
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
    this.#uncounted.push(count);
    if (this.#uncounted.length === 1) setTimeout(() => void this.#countOrForget(), GATHERED_MS).unref();
  }

  /** What could not be loaded is told to those who ask for it. */
  async #countOrForget(): Promise<void> {
    const metrics = await this.#loading.get().catch(() => undefined);
    if (metrics) this.#countWith(metrics);
    else this.#uncounted = [];
  }

  #countWith(metrics: LoadedMetrics): void {
    for (const count of this.#uncounted.splice(0)) count(metrics);
  }
}
