import { once as event } from 'node:events';
import type { Server } from 'node:http';
import { type AddressInfo, Server as TcpServer } from 'node:net';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type OnDemand, onDemand } from '../event-loop/on-demand.js';
import { type Config, ConfigError, completeSettings, type Settings } from './config.js';
import { answersOwnHostOnly } from './exposure.js';
import { createApp } from './http/create-app.js';
import { createServer } from './http/create-server.js';
import { RefusedConnections } from './http/failure/answer-client-error.js';
import { InFlight } from './http/intake/in-flight.js';
import type { Agent } from './http/routes/step-routes.js';
import type { AccessTokens } from './operations/access/access-tokens.js';
import { watchEventLoop } from './operations/event-loop-lag.js';
import type { OpenLimits } from './operations/limits/open-limits.js';
import { createLog, droppedLines } from './operations/logging/log.js';
import { ServiceMetrics } from './operations/metrics/service-metrics.js';
import { passOnTraces, type Tracing } from './operations/tracing/request-trace.js';
import { tracingOptions } from './otel-settings.js';
import { version } from './version.js';

/** A service that listens. */
export interface Service {
  readonly url: string;
  /** Resolves when what most steps need is loaded, or could not be; requests are taken before that as well. */
  readonly warm: Promise<void>;
  /**
   * Is not ready any more, takes no more connections after `SHUTDOWN_DELAY_MS`, finishes what was accepted for at most
   * `SHUTDOWN_GRACE_MS`, answers 503 to what is left, and frees everything. Calling it again waits for the same end.
   */
  close(): Promise<void>;
}

/** How long a body may take to arrive. */
const BODY_TIMEOUT_MS = 30_000;

/**
 * Starts a service and resolves once it listens.
 *
 * @param settings by the names of their environment variables, as text or as plain values; what is left out has its
 *   default (rule: settings). `{ PORT: 0 }` takes a free port.
 * @param logger takes one `info` record a request; by default JSON lines on standard output, from `LOG_LEVEL` on.
 * @param handedRuns saved runs as JSON, by names that cannot be guessed, for the playground alone: `/#/NAME` shows
 *   one whose name begins with `view-`.
 * @throws `ConfigError` if the settings are wrong, and the listener's own error if the address cannot be used.
 */
export async function startService(
  settings: Settings = {},
  logger?: Logger,
  handedRuns: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const config = completeSettings(settings);
  const log = logger ?? createLog(config.LOG_LEVEL).logger;
  const tokens = await openTokens(config, log);
  const limited = await openLimits(config, log);
  const tracing = await openTracing(config, log);
  const lag = watchEventLoop();
  const inFlight = new InFlight({
    max: config.MAX_IN_FLIGHT,
    maxLagMs: config.MAX_EVENT_LOOP_LAG_MS,
    lagMs: lag.lagMs,
  });
  const offline = onDemand(() =>
    import('../offline/offline-model.js').then((room) => room.startOfflineModel()),
  );
  const refused = new RefusedConnections();
  const metrics = new ServiceMetrics({
    version,
    refusedConnections: refused.counts,
    upstreams: async () => (await agent.get()).models.list().upstreams.map(({ name }) => name),
    inFlight,
    lagMs: lag.lagMs,
    droppedLines,
    redis: limited?.store,
  });
  const agent = onDemand(async () => {
    const room = await import('./make-agent.js');
    const startOffline = async () => `${(await offline.get()).url}/v1`;
    return room.makeAgent(config, { metrics, startOffline });
  });
  const app = createApp({
    agent: agent.get,
    inFlight,
    body: { maxBytes: config.MAX_BODY_BYTES, timeoutMs: BODY_TIMEOUT_MS },
    deadlineMs: config.STEP_DEADLINE_MS,
    corsOrigins: config.CORS_ORIGINS,
    tokens,
    tracing,
    limits: limited?.limits,
    metrics,
    trustProxy: config.TRUST_PROXY,
    ownHostOnly: answersOwnHostOnly(config),
    log,
    version,
    handedRuns,
  });
  const free = async (): Promise<void> => {
    lag.stop();
    tokens?.close();
    limited?.close();
    await Promise.all([
      agent.made()?.then(({ models }) => models.close()),
      offline.made()?.then((model) => model.close()),
    ]);
    await tracing.close();
  };
  const server = createServer(app, {}, refused);
  try {
    const url = await listen(server, config);
    // What fails here is made anew, and its failure told, where it is asked for.
    const warm = warmUp(agent.get, metrics).catch(() => {});
    const closing = onDemand(() => close(server, { inFlight, agent }, config).then(free));
    return { url, warm, close: closing.get };
  } catch (error) {
    await free();
    throw error;
  }
}

/** Who may call, if the operator says so. Its reader is loaded only then. Throws `ConfigError`. */
export async function openTokens(
  { AUTH_TOKENS_FILE: path }: Pick<Config, 'AUTH_TOKENS_FILE'>,
  log: Logger,
): Promise<AccessTokens | undefined> {
  if (path === undefined) return undefined;
  const [{ openTokenFile }, { TokenFileError }] = await Promise.all([
    import('./operations/access/access-tokens.js'),
    import('./operations/access/token-entries.js'),
  ]);
  try {
    return await openTokenFile(path, log);
  } catch (error) {
    if (!(error instanceof TokenFileError)) throw error;
    throw new ConfigError(error.problems.map((problem) => `AUTH_TOKENS_FILE: ${problem}`));
  }
}

/** What each caller may use, if somebody could be held to something. */
async function openLimits(
  { AUTH_TOKENS_FILE, RATE_LIMIT_PER_MINUTE, REDIS_URL }: Config,
  log: Logger,
): Promise<OpenLimits | undefined> {
  if (AUTH_TOKENS_FILE === undefined && RATE_LIMIT_PER_MINUTE === 0) return undefined;
  const room = await import('./operations/limits/open-limits.js');
  return room.openLimits({ requestsPerMinute: RATE_LIMIT_PER_MINUTE, redisUrl: REDIS_URL, log });
}

/** Where requests are told: OpenTelemetry's SDK is loaded only if a collector is named (rule: tracing). */
async function openTracing(config: Config, log: Logger): Promise<Tracing> {
  const options = tracingOptions(config);
  if (!options) return passOnTraces;
  const room = await import('./operations/tracing/open-tracing.js');
  return room.openTracing(options, { log, version });
}

/** What most steps need is loaded beside the first requests, not before them: a new process listens at once. */
async function warmUp(agent: () => Promise<Agent>, metrics: ServiceMetrics): Promise<void> {
  const { models } = await agent();
  await import('./http/routes/step-routes.js');
  const { loadEncoding } = await import('../tokens/encodings.js');
  await loadEncoding('o200k_base');
  await models.warmUp();
  await metrics.load();
}

/** What may still owe an answer. */
interface Owing {
  readonly inFlight: InFlight;
  /** Requests that came before it was loaded wait for it, and have no place among the others yet. */
  readonly agent: OnDemand<Agent>;
}

async function close(server: Server, owing: Owing, config: Config): Promise<void> {
  const { inFlight } = owing;
  if (config.SHUTDOWN_DELAY_MS > 0) await lookAway(server, inFlight, config.SHUTDOWN_DELAY_MS);
  else inFlight.refuse();
  await drain(owing, config.SHUTDOWN_GRACE_MS);
  await stopListening(server);
}

async function listen(server: Server, { HOST, PORT }: Config): Promise<string> {
  await event(server.listen(PORT, HOST), 'listening');
  // A server that listens on TCP has such an address.
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/**
 * Gives balancers the time to see that the service is not ready: what they still send meanwhile is served. Then nobody
 * can connect any more; a balancer that does not ask for readiness is refused, and may try elsewhere without risk. The
 * connections that there are stay: each is served until an answer has told it that it was the last.
 */
async function lookAway(server: Server, inFlight: InFlight, delayMs: number): Promise<void> {
  inFlight.announceDrain();
  await sleep(delayMs);
  await takeWaiting(server);
  TcpServer.prototype.close.call(server); // that of HTTP would also end connections that nobody has told
}

/**
 * Takes the connections that the kernel has accepted already, until a turn of the event loop has brought none: whatever
 * waits when the listener closes is reset. Newer releases of Node take one a turn.
 */
async function takeWaiting(server: Server): Promise<void> {
  let taken = 0;
  server.on('connection', () => {
    taken += 1;
  });
  for (let turn = 0, before = -1; before < taken && turn < MAX_TURNS; turn += 1) {
    before = taken;
    await nextTurn();
  }
}

/** Of the event loop, for connections that never cease to come. */
const MAX_TURNS = 1_000;

/** Until all is answered, and nothing more was in the sockets already; what is left at the end of the grace gets 503. */
async function drain({ inFlight, agent }: Owing, graceMs: number): Promise<void> {
  const timer = setTimeout(() => inFlight.interruptAll(), graceMs);
  do {
    await agent.made()?.catch(() => {}); // whoever waits for it is told why there is none
    await inFlight.idle();
    await sleep(LAST_LOOK_MS);
  } while (inFlight.count > 0);
  clearTimeout(timer);
}

/** In milliseconds: how long requests may take that are on their way already when the last answer has left. */
const LAST_LOOK_MS = 100;
/** In milliseconds: how long answers under way may take to leave; none of them waits for a model. */
const LAST_ANSWERS_MS = 1_000;

async function stopListening(server: Server): Promise<void> {
  const timer = setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS);
  await new Promise((resolve) => server.close(resolve));
  clearTimeout(timer);
}
