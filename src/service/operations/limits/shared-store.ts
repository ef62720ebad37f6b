import { performance } from 'node:perf_hooks';
import { createClient, ErrorReply } from '@redis/client';
import type { Logger } from 'pino';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import RateLimiterRedis from 'rate-limiter-flexible/lib/RateLimiterRedis.js';
import { type Count, MemoryCounter, type WindowCounter } from './window-counter.js';

/** In milliseconds of an event loop that waits for nothing else: the longest that a request waits for Redis. */
const LONGEST_WAIT_MS = 100;
/** In milliseconds: the longest that the start of the service waits for it. */
const LONGEST_START_MS = 1_000;
/** In milliseconds: how long it is left alone once it has failed. Then one request tries it for all others. */
const REST_MS = 1_000;

/** In milliseconds. A connection that says nothing for so long, though it is asked, is dead. */
const connection = { connectTimeout: 2_000, pingInterval: 5_000, socketTimeout: 15_000 };
const LONGEST_PAUSE_MS = 2_000;
/** Commands that wait for an answer: more than come in a burst. One that hangs gets a few a second. */
const MAX_WAITING = 10_000;
/** The sums are asked for; what is too much is decided by those who ask. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/**
 * Counters that all processes with the same Redis or Valkey share. While it is gone or slow, each process counts on by
 * itself, from where it knows them to be; that is logged once, and so is its end (rule: shared-limits).
 */
export class SharedStore {
  readonly #client: ReturnType<typeof createClient>;
  readonly #log: Logger;
  readonly #waitMs: number;
  /** Undefined until one or the other is known. */
  #isUp: boolean | undefined;
  #restsUntil = 0;
  #outages = 0;
  /** The error it answers with, as was told. */
  #word: string | undefined;
  #isForeignKeyTold = false;
  /** A server may answer and refuse the one command that counts. */
  readonly #probe: WindowCounter;
  #whetherItCounts: Promise<Count> | undefined;

  /** Resolves once it answers or is known not to; it goes on trying then. */
  static async open(url: string, log: Logger, { waitMs = LONGEST_WAIT_MS } = {}): Promise<SharedStore> {
    const store = new SharedStore(url, log, waitMs);
    await within(
      LONGEST_START_MS,
      store.#client.connect().then(() => store.#whetherItCounts),
    ).catch((error) => store.#failed(error));
    return store;
  }

  private constructor(url: string, log: Logger, waitMs: number) {
    this.#log = log;
    this.#waitMs = waitMs;
    const { pingInterval, ...socket } = connection;
    this.#client = createClient({
      url,
      pingInterval,
      disableOfflineQueue: true,
      commandsQueueMaxLength: MAX_WAITING,
      socket: { ...socket, reconnectStrategy: (tries) => Math.min(100 * 2 ** tries, LONGEST_PAUSE_MS) },
    });
    this.#client
      .on('error', (error: unknown) => this.#failed(error))
      .on('ready', () => {
        this.#restsUntil = 0;
        this.#whetherItCounts = this.#probe.add('', 0);
      });
    this.#probe = this.createCounter('probe', 1);
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
    const known = new MemoryCounter(windowSeconds);
    const shared = new RateLimiterRedis({
      storeClient: this.#client,
      useRedisPackage: true,
      rejectIfRedisNotReady: true,
      points: UNLIMITED,
      duration: windowSeconds,
      keyPrefix: `stepwise:${name}`,
    });
    // An answer that comes too late for its request still teaches what the sum is.
    const learn = (key: string) => (answer: RateLimiterRes | null) =>
      known.atLeast(key, { sum: answer?.consumedPoints ?? 0, endsInMs: answer?.msBeforeNext ?? 0 });
    return {
      add: async (key, amount) =>
        (await this.#ask(() => shared.consume(key, amount).then(learn(key)))) ?? known.add(key, amount),
      read: async (key) =>
        (await (this.#refuses ? undefined : this.#ask(() => shared.get(key).then(learn(key))))) ??
        known.read(key),
    };
  }

  close(): void {
    this.#client.destroy();
  }

  /** Answers with an error, so what it knows is out of date; to be read is no sign that it counts again. */
  get #refuses(): boolean {
    return this.#isUp === false && this.#word !== undefined;
  }

  /** Undefined if there is no answer, or none that can be used. */
  async #ask(shared: () => Promise<Count>): Promise<Count | undefined> {
    if (!this.#mayTry()) return undefined;
    try {
      const count = await within(this.#waitMs, shared());
      this.#answered();
      return count;
    } catch (error) {
      if (isOfOneKey(error)) this.#foundForeignKey(error);
      else this.#failed(error);
      return undefined;
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
    this.#word = undefined;
    this.#log.info('REDIS_URL answers: limits are shared');
  }

  /** The message of an error may hold the address; its code does not. */
  #failed(error: unknown): void {
    this.#restsUntil = Date.now() + REST_MS;
    const word = wordOf(error);
    // Once it is down, all that can be news is the error of one that answers.
    if (this.#isUp === false && (word === undefined || word === this.#word)) return;
    if (this.#isUp !== false) this.#outages += 1;
    this.#isUp = false;
    this.#word = word;
    const what = word ? 'answers with an error' : 'does not answer';
    this.#log.warn(
      { code: word ?? codeOf(error) },
      `REDIS_URL ${what}: each process limits by itself until it counts`,
    );
  }

  #foundForeignKey(error: unknown): void {
    if (this.#isForeignKeyTold) return;
    this.#isForeignKeyTold = true;
    this.#log.warn(
      { code: wordOf(error) },
      'REDIS_URL holds something else under a name of ours: each process counts that name by itself',
    );
  }
}

/** Of an error that Redis answers with: `WRONGPASS`, `OOM`; the rest of it may hold anything. */
function wordOf(error: unknown): string | undefined {
  return error instanceof ErrorReply ? (/^[A-Z]{2,20}(?= )/.exec(error.message)?.[0] ?? 'ERR') : undefined;
}

function codeOf(error: unknown): string {
  if (error instanceof Object && 'code' in error) return String(error.code);
  return error instanceof Error ? error.constructor.name : 'unknown';
}

/**
 * The server is well, and so are all other names: this one is not a number of ours. Before version 7 an error inside a script
 * stands in the middle of the message.
 */
const isOfOneKey = (error: unknown): boolean =>
  error instanceof ErrorReply && /\bWRONGTYPE |value is not an integer or out of range/.test(error.message);

/** How often it is looked whether the wait is over: after each fifth of it, and for a busy loop a few times more. */
const LOOKS_IN_WAIT = 5;
const MAX_LOOKS = 25;

const idleMs = (): number => performance.eventLoopUtilization().idle;

/**
 * Rejects if the answer takes longer; it is not awaited any more. Only the time counts in which the event loop had nothing
 * to do but wait: while it is held the answer may be there, unread. So after the last look the sockets are read once more.
 */
function within<Answer>(ms: number, answer: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const idleBefore = idleMs();
    let looks = 0;
    const timer = setTimeout(() => {
      looks += 1;
      if (looks < MAX_LOOKS && idleMs() - idleBefore < ms) timer.refresh();
      else setImmediate(() => reject({ code: 'TIMEOUT' }));
    }, ms / LOOKS_IN_WAIT);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
