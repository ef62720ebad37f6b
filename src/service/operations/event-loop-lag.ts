import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
const WINDOW_MS = 1_000;

interface EventLoopLag {
  /**
   * Returns the average delay of timers per second, in milliseconds: the lower of the last two seconds. After a
   * single blockage the loop is free again; only two late seconds in a row indicate overload.
   */
  lagMs(): number;
  stop(): void;
}

/**
 * Measures how late timers fire. This delay of the event loop reveals overload that no queue length reveals
 * (rule: overload).
 */
export function watchEventLoop(): EventLoopLag {
  const histogram = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  let last = 0;
  let lag = 0;
  const timer = setInterval(() => {
    const before = last;
    last = Math.max(0, (histogram.mean || 0) / 1e6 - RESOLUTION_MS);
    lag = Math.min(before, last);
    histogram.reset();
  }, WINDOW_MS).unref();
  histogram.enable();
  return {
    lagMs: () => lag,
    stop: () => {
      clearInterval(timer);
      histogram.disable();
    },
  };
}
