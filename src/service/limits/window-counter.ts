import type { RateLimiterAbstract } from 'rate-limiter-flexible';
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js';

/** Sums by key over windows of time, each of which begins with the first that is added to it. */
export interface WindowCounter {
  /** Resolves to the sum of the window with this amount, and the milliseconds that the window still lasts. */
  add(key: string, amount: number): Promise<Count>;
  /** The sum of the window so far. */
  read(key: string): Promise<number>;
}

interface Count {
  readonly sum: number;
  readonly endsInMs: number;
}

/** The counter is asked for sums; what is too much is decided by those who ask. */
export const UNLIMITED = Number.MAX_SAFE_INTEGER;

/** Counts in this process alone. */
export const createMemoryCounter = (windowSeconds: number): WindowCounter =>
  toCounter(new RateLimiterMemory({ points: UNLIMITED, duration: windowSeconds }));

export function toCounter(limiter: RateLimiterAbstract): WindowCounter {
  return {
    add: async (key, amount) => {
      const { consumedPoints, msBeforeNext } = await limiter.consume(key, amount);
      return { sum: consumedPoints, endsInMs: msBeforeNext };
    },
    read: async (key) => (await limiter.get(key))?.consumedPoints ?? 0,
  };
}
