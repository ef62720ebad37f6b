import { monitorEventLoopDelay } from 'node:perf_hooks';

const RESOLUTION_MS = 10;
const WINDOW_MS = 1_000;

export interface EventLoopLag {
  /**
   * How late timers fired on average, in milliseconds: in the better one of the last two seconds. A loop that was held
   * once is free again by the time anybody asks; a loop that is late twice has too much to do.
   */
  lagMs(): number;
  stop(): void;
}

/** Watches how late the event loop runs: the one sign of overload that no queue shows. */
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
