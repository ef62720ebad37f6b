import type { WindowCounter } from './window-counter.js';

/** The limits of one token (rule: token-limits). For an omitted limit, only the service's own applies. */
export interface Allowance {
  readonly requestsPerMinute?: number | undefined;
  readonly requestsAtOnce?: number | undefined;
  /** Input and output tokens of models, as counted by the providers. */
  readonly tokensPerDay?: number | undefined;
}

/** A caller whose requests are counted: the name of a token, or an address. */
export interface Counted {
  readonly key: string;
  readonly allowance: Allowance;
}

export interface Exceeded {
  readonly limit: keyof Allowance;
  readonly allowed: number;
  readonly retryAfterMs: number;
}

interface CallerLimitsOptions {
  /** Limit for callers without a limit of their own; 0 is unlimited. */
  readonly requestsPerMinute: number;
  /** Counts the requests of each caller per minute. */
  readonly requests: WindowCounter;
  /** Counts the tokens of each caller per day. */
  readonly tokens: WindowCounter;
  /** Returns milliseconds since 1970. */
  readonly now?: () => number;
}

const DAY_MS = 86_400_000;
/** Retry-After time for a caller with too many concurrent requests, one of which may end at any moment. */
const PLACE_WAIT_MS = 1_000;

/** Applies the limits of each caller (rules: rate-limit, token-limits). */
export class CallerLimits {
  readonly #options: CallerLimitsOptions;
  readonly #now: () => number;
  readonly #atOnce = new Map<string, number>();

  constructor(options: CallerLimitsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /**
   * Counts a request. Resolves to the exceeded limit, if any. Queries both counters concurrently, because either
   * may have to wait.
   */
  async count({ key, allowance }: Counted): Promise<Exceeded | undefined> {
    const counts = [this.#countRequest(key, allowance), this.#readTokens(key, allowance)];
    const [requests, tokens] = await Promise.all(counts);
    return requests ?? tokens;
  }

  /** Counts one more concurrent request of the caller until `leave`. Returns the limit if the caller has reached it. */
  enter({ key, allowance: { requestsAtOnce } }: Counted): Exceeded | undefined {
    if (requestsAtOnce === undefined) return undefined;
    const used = this.#atOnce.get(key) ?? 0;
    if (used >= requestsAtOnce) {
      return { limit: 'requestsAtOnce', allowed: requestsAtOnce, retryAfterMs: PLACE_WAIT_MS };
    }
    this.#atOnce.set(key, used + 1);
    return undefined;
  }

  leave({ key, allowance: { requestsAtOnce } }: Counted): void {
    if (requestsAtOnce === undefined) return;
    const left = (this.#atOnce.get(key) ?? 1) - 1;
    if (left > 0) this.#atOnce.set(key, left);
    else this.#atOnce.delete(key);
  }

  /** Counts the tokens of a request. If the sum exceeds the limit, the next request is rejected. */
  async spend({ key, allowance: { tokensPerDay } }: Counted, tokens: number): Promise<void> {
    if (tokensPerDay !== undefined && tokens > 0) await this.#options.tokens.add(this.#today(key), tokens);
  }

  async #countRequest(key: string, allowance: Allowance): Promise<Exceeded | undefined> {
    const allowed = allowance.requestsPerMinute ?? this.#options.requestsPerMinute;
    if (allowed === 0) return undefined;
    const { sum, endsInMs } = await this.#options.requests.add(key, 1);
    return sum > allowed ? { limit: 'requestsPerMinute', allowed, retryAfterMs: endsInMs } : undefined;
  }

  async #readTokens(key: string, { tokensPerDay: allowed }: Allowance): Promise<Exceeded | undefined> {
    if (allowed === undefined) return undefined;
    const { sum: spent } = await this.#options.tokens.read(this.#today(key));
    const retryAfterMs = DAY_MS - (this.#now() % DAY_MS);
    return spent >= allowed ? { limit: 'tokensPerDay', allowed, retryAfterMs } : undefined;
  }

  /** Returns the key of the caller's counter for the current day in UTC. It is the same in all processes. */
  #today(key: string): string {
    return `${key}:${new Date(this.#now()).toISOString().slice(0, 10)}`;
  }
}
