import type { WindowCounter } from './window-counter.js';

/** How much one token may use (rule: token-limits). What is left out has no limit, but for the service's own. */
export interface Allowance {
  readonly requestsPerMinute?: number | undefined;
  readonly requestsAtOnce?: number | undefined;
  /** Of the models, in and out, as the providers count them. */
  readonly tokensPerDay?: number | undefined;
}

/** Who is counted: a token by its name, or an address. */
export interface Counted {
  readonly key: string;
  readonly allowance: Allowance;
}

/** A limit that is reached. */
export interface Exceeded {
  readonly limit: keyof Allowance;
  readonly allowed: number;
  readonly retryAfterMs: number;
}

export interface CallerLimitsOptions {
  /** For those whose allowance says nothing else; 0: none. */
  readonly requestsPerMinute: number;
  /** Over a minute. */
  readonly requests: WindowCounter;
  /** Over a day. */
  readonly tokens: WindowCounter;
  /** Since 1970, in milliseconds. */
  readonly now?: () => number;
}

const DAY_MS = 86_400_000;
/** In milliseconds: what is at once may be over any moment. */
const SHORTLY_MS = 1_000;

/** Holds each caller to what it may use (rules: rate-limit, token-limits). */
export class CallerLimits {
  readonly #options: CallerLimitsOptions;
  readonly #now: () => number;
  readonly #atOnce = new Map<string, number>();

  constructor(options: CallerLimitsOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Counts a request; resolves to the limit that it is above, if there is one. Both are asked at once: either may wait. */
  async count({ key, allowance }: Counted): Promise<Exceeded | undefined> {
    const asked = [this.#countRequest(key, allowance), this.#readTokens(key, allowance)];
    const [requests, tokens] = await Promise.all(asked);
    return requests ?? tokens;
  }

  /** Takes one of the places that a caller has at the same time, until `leave`. */
  enter({ key, allowance: { requestsAtOnce } }: Counted): Exceeded | undefined {
    if (requestsAtOnce === undefined) return undefined;
    const taken = this.#atOnce.get(key) ?? 0;
    if (taken >= requestsAtOnce) {
      return { limit: 'requestsAtOnce', allowed: requestsAtOnce, retryAfterMs: SHORTLY_MS };
    }
    this.#atOnce.set(key, taken + 1);
    return undefined;
  }

  leave({ key, allowance: { requestsAtOnce } }: Counted): void {
    if (requestsAtOnce === undefined) return;
    const left = (this.#atOnce.get(key) ?? 1) - 1;
    if (left > 0) this.#atOnce.set(key, left);
    else this.#atOnce.delete(key);
  }

  /** Counts what a model was asked and answered. What comes above the limit is the next request's trouble. */
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

  /** Days are those of UTC, for all processes the same. */
  #today(key: string): string {
    return `${key}:${new Date(this.#now()).toISOString().slice(0, 10)}`;
  }
}
