import { Counter, Gauge, type Registry } from 'prom-client';
import type { ServiceState } from './service-state.js';

/** Adds what is kept elsewhere, to be looked at when the metrics are read. */
export function addStateMetrics(registry: Registry, state: ServiceState): void {
  const { version, inFlight, refusedConnections, lagMs, droppedLines, redis } = state;
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
    help: 'Always 1; its labels say what runs.',
    labelNames: ['version', 'node_version'],
    registers,
  }).set({ version, node_version: process.version }, 1);
  gauge('stepwise_requests_in_flight', 'Requests accepted and not yet answered.', () => inFlight.count);
  gauge('stepwise_requests_in_flight_max', 'How many may be in flight: MAX_IN_FLIGHT.', () => inFlight.max);
  counterByCause(
    'stepwise_overload_refusals_total',
    'Requests refused as overloaded, by what there was too much of: requests in_flight, or work for the event_loop.',
    inFlight.refused,
  );
  counterByCause(
    'stepwise_refused_connections_total',
    'Connections ended over what never became a request: malformed, head_too_large, timeout, too_many_requests at a time.',
    refusedConnections,
  );
  gauge(
    'stepwise_event_loop_lag_seconds',
    'How late timers fire on average, in the better one of the last two seconds. Above 0.25 requests are refused.',
    () => lagMs() / 1_000,
  );
  counter('stepwise_log_lines_dropped_total', 'Log lines that could not be written.', droppedLines);
  if (!redis) return;
  gauge(
    'stepwise_redis_up',
    '1 while limits are shared through Redis, 0 while each process has its own.',
    () => Number(redis.isUp),
  );
  counter('stepwise_redis_outages_total', 'Times that Redis was gone or slow.', () => redis.outages);
}
