import { createClient } from '@redis/client';
import type { Logger } from 'pino';
import RateLimiterRedis from 'rate-limiter-flexible/lib/RateLimiterRedis.js';
import { createMemoryCounter, toCounter, UNLIMITED, type WindowCounter } from './window-counter.js';

/** In milliseconds: the longest that a request waits for Redis. */
const LONGEST_WAIT_MS = 100;
/** In milliseconds: the longest that the start of the service waits for it. */
const LONGEST_START_MS = 1_000;
/** In milliseconds: how long it is left alone once it has failed. Then one request tries it for all others. */
const REST_MS = 1_000;

/** In milliseconds. A connection that says nothing for so long, though it is asked, is dead. */
const connection = { connectTimeout: 2_000, pingInterval: 5_000, socketTimeout: 15_000 };
const LONGEST_PAUSE_MS = 2_000;
/** Commands that wait for an answer: one that hangs gets a few a second. */
const MAX_WAITING = 1_000;

/**
 * Counters that all processes with the same Redis or Valkey share. While it is gone or slow, each process counts by
 * itself; that is logged once, and so is its end (rule: shared-limits).
 */
export class SharedStore {
  readonly #client: ReturnType<typeof createClient>;
  readonly #log: Logger;
  /** Undefined until one or the other is known. */
  #isUp: boolean | undefined;
  #restsUntil = 0;
  #outages = 0;

  /** Resolves once it answers or is known not to; it goes on trying then. */
  static async open(url: string, log: Logger): Promise<SharedStore> {
    const store = new SharedStore(url, log);
    await within(LONGEST_START_MS, store.#client.connect()).catch((error) => store.#failed(error));
    return store;
  }

  private constructor(url: string, log: Logger) {
    this.#log = log;
    const { pingInterval, ...socket } = connection;
    this.#client = createClient({
      url,
      pingInterval,
      disableOfflineQueue: true,
      commandsQueueMaxLength: MAX_WAITING,
      socket: { ...socket, reconnectStrategy: (tries) => Math.min(100 * 2 ** tries, LONGEST_PAUSE_MS) },
    });
    this.#client.on('error', (error: unknown) => this.#failed(error)).on('ready', () => this.#answered());
  }

  /** How many times it was gone or slow, for a metric. */
  get outages(): number {
    return this.#outages;
  }

  /** Whether it answers. */
  get isUp(): boolean {
    return this.#isUp ?? false;
  }

  /** A counter of this name, which is one and the same for all who share the store. */
  createCounter(name: string, windowSeconds: number): WindowCounter {
    const alone = createMemoryCounter(windowSeconds);
    const shared = toCounter(
      new RateLimiterRedis({
        storeClient: this.#client,
        useRedisPackage: true,
        rejectIfRedisNotReady: true,
        points: UNLIMITED,
        duration: windowSeconds,
        keyPrefix: `stepwise:${name}`,
      }),
    );
    return {
      add: (key, amount) =>
        this.#ask(
          () => shared.add(key, amount),
          () => alone.add(key, amount),
        ),
      read: (key) =>
        this.#ask(
          () => shared.read(key),
          () => alone.read(key),
        ),
    };
  }

  close(): void {
    this.#client.destroy();
  }

  async #ask<Answer>(shared: () => Promise<Answer>, alone: () => Promise<Answer>): Promise<Answer> {
    if (!this.#mayTry()) return alone();
    try {
      const answer = await within(LONGEST_WAIT_MS, shared());
      this.#answered();
      return answer;
    } catch (error) {
      this.#failed(error);
      return alone();
    }
  }

  #mayTry(): boolean {
    if (this.#isUp) return true;
    if (Date.now() < this.#restsUntil) return false;
    this.#restsUntil = Date.now() + REST_MS;
    return true;
  }

  #answered(): void {
    if (this.#isUp) return;
    this.#isUp = true;
    this.#log.info('REDIS_URL answers: limits are shared');
  }

  /** The message of an error may hold the address; its code does not. */
  #failed(error: unknown): void {
    this.#restsUntil = Date.now() + REST_MS;
    if (this.#isUp === false) return;
    this.#isUp = false;
    this.#outages += 1;
    const code = error instanceof Object && 'code' in error ? String(error.code) : 'unknown';
    this.#log.warn({ code }, 'REDIS_URL does not answer: each process limits by itself until it does');
  }
}

/** Rejects if the answer takes longer; it is not awaited any more. */
function within<Answer>(ms: number, answer: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject({ code: 'TIMEOUT' }), ms);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
