import { Counter, Gauge, type Registry } from 'prom-client';

/** Values of a service that are kept elsewhere and read whenever metrics are scraped. */
export interface ServiceState {
  readonly version: string;
  readonly inFlight: {
    readonly count: number;
    readonly max: number;
    readonly bytes: number;
    readonly maxBytes: number;
    /** Requests rejected as overloaded so far, by cause. */
    readonly refused: Readonly<Record<string, number>>;
  };
  /** Connections closed so far because no valid request arrived, by cause. */
  readonly refusedConnections: Readonly<Record<string, number>>;
  readonly lagMs: () => number;
  /** Lag above which requests are rejected. */
  readonly maxLagMs: number;
  readonly droppedLines: () => number;
  /** Present if limits are shared. */
  readonly redis?: { readonly isUp: boolean; readonly outages: number } | undefined;
}

/** Adds metrics of values that are kept elsewhere and read whenever metrics are scraped. */
export function addStateMetrics(registry: Registry, state: ServiceState): void {
  const { version, inFlight, refusedConnections, lagMs, maxLagMs, droppedLines, redis } = state;
  const registers = [registry];
  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  const counter = (name: string, help: string, read: () => number) =>
    new Counter({
      name,
      help,
      registers,
      collect() {
        this.reset();
        this.inc(read());
      },
    });
  const counterByCause = (name: string, help: string, counts: Readonly<Record<string, number>>) =>
    new Counter({
      name,
      help,
      labelNames: ['cause'],
      registers,
      collect() {
        this.reset();
        for (const [cause, count] of Object.entries(counts)) this.inc({ cause }, count);
      },
    });

  new Gauge({
    name: 'stepwise_build_info',
    help: 'Always 1; the labels contain the running version.',
    labelNames: ['version', 'node_version'],
    registers,
  }).set({ version, node_version: process.version }, 1);
  gauge('stepwise_requests_in_flight', 'Requests accepted and not yet answered.', () => inFlight.count);
  gauge(
    'stepwise_requests_in_flight_max',
    'Maximum number of requests in flight: MAX_IN_FLIGHT.',
    () => inFlight.max,
  );
  gauge(
    'stepwise_bytes_in_flight',
    'Bytes of the requests in flight: their bodies, and the replies that may follow.',
    () => inFlight.bytes,
  );
  gauge(
    'stepwise_bytes_in_flight_max',
    'Maximum bytes of the requests in flight: MAX_BYTES_IN_FLIGHT.',
    () => inFlight.maxBytes,
  );
  counterByCause(
    'stepwise_overload_refusals_total',
    'Requests rejected as overloaded, by cause: in_flight (too many requests), bytes_in_flight (too much memory) or event_loop (lag).',
    inFlight.refused,
  );
  counterByCause(
    'stepwise_refused_connections_total',
    'Connections closed because no valid request arrived, by cause: malformed, head_too_large, timeout or too_many_requests (pipelined).',
    refusedConnections,
  );
  gauge(
    'stepwise_event_loop_lag_seconds',
    `Event loop lag: average delay of timers per second, the lower of the last two seconds. Above ${maxLagMs / 1_000} (MAX_EVENT_LOOP_LAG_MS), requests are rejected.`,
    () => lagMs() / 1_000,
  );
  counter('stepwise_log_lines_dropped_total', 'Log lines that could not be written.', droppedLines);
  if (!redis) return;
  gauge(
    'stepwise_redis_up',
    '1 while limits are shared through Redis, 0 while each process counts its own.',
    () => Number(redis.isUp),
  );
  counter(
    'stepwise_redis_outages_total',
    'Number of times that Redis was unavailable or slow.',
    () => redis.outages,
  );
}
