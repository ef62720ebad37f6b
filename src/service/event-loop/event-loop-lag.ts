import { monitorEventLoopDelay } from 'node:perf_hooks';

const resolutionMs = 10;
const windowMs = 1_000;

export interface EventLoopLag {
  /** How late timers fired on average in the last second, in milliseconds. */
  lagMs(): number;
  stop(): void;
}

/** Watches how late the event loop runs: the one sign of overload that no queue shows. */
export function watchEventLoop(): EventLoopLag {
  const histogram = monitorEventLoopDelay({ resolution: resolutionMs });
  let lag = 0;
  const timer = setInterval(() => {
    lag = Math.max(0, (histogram.mean || 0) / 1e6 - resolutionMs);
    histogram.reset();
  }, windowMs).unref();
  histogram.enable();
  return {
    lagMs: () => lag,
    stop: () => {
      clearInterval(timer);
      histogram.disable();
    },
  };
}
