import { performance } from 'node:perf_hooks';
import { createClient, ErrorReply } from '@redis/client';
import type { Logger } from 'pino';
import type { RateLimiterRes } from 'rate-limiter-flexible';
import RateLimiterRedis from 'rate-limiter-flexible/lib/RateLimiterRedis.js';
import { type Count, MemoryCounter, type WindowCounter } from './window-counter.js';

/** Maximum time that a request waits for Redis, counting only time in which the event loop is idle. */
const MAX_WAIT_MS = 100;
/** Maximum time that the start of the service waits for Redis. */
const MAX_START_WAIT_MS = 1_000;
/**
 * Time for which Redis is not called after a failure. After that, one request tries Redis again on behalf of all
 * others.
 */
const RETRY_AFTER_MS = 1_000;

/** Times in milliseconds. A connection that does not answer pings for `socketTimeout` is treated as dead. */
const connection = { connectTimeout: 2_000, pingInterval: 5_000, socketTimeout: 15_000 };
const MAX_RECONNECT_DELAY_MS = 2_000;
/** Maximum number of commands that wait for a response, more than a normal burst. */
const MAX_PENDING_COMMANDS = 10_000;
/** The library's own limit is not used, because callers compare the sums with their limits. */
const UNLIMITED = Number.MAX_SAFE_INTEGER;

/**
 * Counters shared by all processes with the same Redis or Valkey. While Redis is unavailable or slow, each process
 * counts on its own from the last sums it received; the log reports the beginning and the end of that time once
 * (rule: shared-limits).
 */
export class SharedStore {
  readonly #client: ReturnType<typeof createClient>;
  readonly #log: Logger;
  readonly #waitMs: number;
  /** Undefined until Redis has responded or failed for the first time. */
  #isUp: boolean | undefined;
  #retryAt = 0;
  #outages = 0;
  /** Code of the error that was logged last. */
  #word: string | undefined;
  #isForeignKeyLogged = false;
  /**
   * A counter that adds 0 to test whether Redis counts again: a server may respond to other commands and still
   * refuse the one that counts.
   */
  readonly #probe: WindowCounter;
  #probing: Promise<Count> | undefined;

  /** Connects. Resolves once Redis has responded or failed; after a failure it is retried later. */
  static async open(url: string, log: Logger, { waitMs = MAX_WAIT_MS } = {}): Promise<SharedStore> {
    const store = new SharedStore(url, log, waitMs);
    await within(
      MAX_START_WAIT_MS,
      store.#client.connect().then(() => store.#probing),
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
      commandsQueueMaxLength: MAX_PENDING_COMMANDS,
      socket: { ...socket, reconnectStrategy: (tries) => Math.min(100 * 2 ** tries, MAX_RECONNECT_DELAY_MS) },
    });
    this.#client
      .on('error', (error: unknown) => this.#failed(error))
      .on('ready', () => {
        this.#retryAt = 0;
        this.#probing = this.#probe.add('', 0);
      });
    this.#probe = this.createCounter('probe', 1);
  }

  /** Number of times so far that Redis became unavailable or slow. */
  get outages(): number {
    return this.#outages;
  }

  /** True while the counts are shared through Redis. */
  get isUp(): boolean {
    return this.#isUp ?? false;
  }

  /** Creates a counter that all processes share by its name. */
  createCounter(name: string, windowSeconds: number): WindowCounter {
    const local = new MemoryCounter(windowSeconds);
    const shared = new RateLimiterRedis({
      storeClient: this.#client,
      useRedisPackage: true,
      rejectIfRedisNotReady: true,
      points: UNLIMITED,
      duration: windowSeconds,
      keyPrefix: `stepwise:${name}`,
    });
    // A response that arrives too late for its own request still updates the local sum.
    const learn = (key: string) => (answer: RateLimiterRes | null) =>
      local.atLeast(key, { sum: answer?.consumedPoints ?? 0, endsInMs: answer?.msBeforeNext ?? 0 });
    return {
      add: async (key, amount) =>
        (await this.#ask(() => shared.consume(key, amount).then(learn(key)))) ?? local.add(key, amount),
      read: async (key) =>
        (await (this.#refuses ? undefined : this.#ask(() => shared.get(key).then(learn(key))))) ??
        local.read(key),
    };
  }

  close(): void {
    this.#client.destroy();
  }

  /**
   * True while Redis answers commands with an error instead of counting. The sums that it returns are outdated then,
   * and a successful read does not prove that Redis counts again.
   */
  get #refuses(): boolean {
    return this.#isUp === false && this.#word !== undefined;
  }

  /** Queries Redis. Resolves to undefined if there is no usable response. */
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
    if (Date.now() < this.#retryAt) return false;
    this.#retryAt = Date.now() + RETRY_AFTER_MS;
    return true;
  }

  #answered(): void {
    if (this.#isUp) return;
    this.#isUp = true;
    this.#word = undefined;
    this.#log.info('REDIS_URL: Redis responds; limits are shared');
  }

  /** Logs a failure by its code, because the message of an error may contain the address. */
  #failed(error: unknown): void {
    this.#retryAt = Date.now() + RETRY_AFTER_MS;
    const word = wordOf(error);
    // During an outage, only a new error code is logged.
    if (this.#isUp === false && (word === undefined || word === this.#word)) return;
    if (this.#isUp !== false) this.#outages += 1;
    this.#isUp = false;
    this.#word = word;
    const what = word ? 'responds with an error' : 'does not respond';
    this.#log.warn(
      { code: word ?? codeOf(error) },
      `REDIS_URL: Redis ${what}; each process counts its own limits until Redis works again`,
    );
  }

  #foundForeignKey(error: unknown): void {
    if (this.#isForeignKeyLogged) return;
    this.#isForeignKeyLogged = true;
    this.#log.warn(
      { code: wordOf(error) },
      'REDIS_URL: a Redis key of this service has a value of another program; each process counts its own limits for that caller',
    );
  }
}

/**
 * Returns the code of an error of Redis, such as `WRONGPASS` or `OOM`. The rest of its message may contain
 * anything.
 */
function wordOf(error: unknown): string | undefined {
  return error instanceof ErrorReply ? (/^[A-Z]{2,20}(?= )/.exec(error.message)?.[0] ?? 'ERR') : undefined;
}

function codeOf(error: unknown): string {
  if (error instanceof Object && 'code' in error) return String(error.code);
  return error instanceof Error ? error.constructor.name : 'unknown';
}

/**
 * Returns whether an error concerns only one key, because its value has another type than expected. Before Redis 7, an
 * error inside a script is in the middle of the message.
 */
const isOfOneKey = (error: unknown): boolean =>
  error instanceof ErrorReply && /\bWRONGTYPE |value is not an integer or out of range/.test(error.message);

/** Number of checks in a wait if the event loop is idle. While it is busy, more checks follow, up to `MAX_CHECKS`. */
const CHECKS_IN_WAIT = 5;
const MAX_CHECKS = 25;

const idleMs = (): number => performance.eventLoopUtilization().idle;

/**
 * Rejects if the response takes longer than `ms` of idle time. Busy time of the event loop does not count, because
 * the response may have arrived and not been read yet. After the last check, the sockets are read once more.
 */
function within<Answer>(ms: number, answer: Promise<Answer>): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const idleBefore = idleMs();
    let checks = 0;
    const timer = setTimeout(() => {
      checks += 1;
      if (checks < MAX_CHECKS && idleMs() - idleBefore < ms) timer.refresh();
      else setImmediate(() => reject({ code: 'TIMEOUT' }));
    }, ms / CHECKS_IN_WAIT);
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
