import type { Logger } from 'pino';
import { CallerLimits } from './caller-limits.js';
import type { SharedStore } from './shared-store.js';
import { MemoryCounter } from './window-counter.js';

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;

interface LimitsOptions {
  /** Limit for callers whose token has none; 0 is unlimited. */
  readonly requestsPerMinute: number;
  /** URL of a Redis or Valkey in which processes share their counts. */
  readonly redisUrl?: string | undefined;
  readonly log: Logger;
}

export interface OpenLimits {
  readonly limits: CallerLimits;
  /** Present if the limits are shared. */
  readonly store?: Pick<SharedStore, 'isUp' | 'outages'>;
  close(): void;
}

/**
 * Opens the limits of this process, or shared ones (rule: shared-limits). The Redis client is loaded only for
 * shared ones.
 */
export async function openLimits({ requestsPerMinute, redisUrl, log }: LimitsOptions): Promise<OpenLimits> {
  if (redisUrl === undefined) {
    const requests = new MemoryCounter(MINUTE_SECONDS);
    const tokens = new MemoryCounter(DAY_SECONDS);
    return { limits: new CallerLimits({ requestsPerMinute, requests, tokens }), close: () => {} };
  }
  const { SharedStore } = await import('./shared-store.js');
  const store = await SharedStore.open(redisUrl, log);
  const requests = store.createCounter('requests', MINUTE_SECONDS);
  const tokens = store.createCounter('tokens', DAY_SECONDS);
  const limits = new CallerLimits({ requestsPerMinute, requests, tokens });
  return { limits, store, close: () => store.close() };
}
