import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { type OnDemand, onDemand } from '../event-loop/on-demand.js';
import { createApp } from './http/create-app.js';
import { createServer } from './http/create-server.js';
import { RefusedConnections } from './http/failure/answer-client-error.js';
import { defaultMaxBytes, InFlight } from './http/intake/in-flight.js';
import type { Agent } from './http/services.js';
import type { AccessTokens } from './operations/access/access-tokens.js';
import { watchEventLoop } from './operations/event-loop-lag.js';
import type { OpenLimits } from './operations/limits/open-limits.js';
import { createLog, droppedLines } from './operations/logging/log.js';
import { ServiceMetrics } from './operations/metrics/service-metrics.js';
import { passOnTraces, type Tracing } from './operations/tracing/request-trace.js';
import { credentialsIn } from './providers/gateway-settings.js';
import type { RunFiles } from './recording/run-files.js';
import { type Config, ConfigError, completeSettings } from './settings/config.js';
import { answersOwnHostOnly } from './settings/exposure.js';
import type { Settings } from './settings/settings.js';
import { version } from './version.js';
import { WatchRoom } from './watching/watch-room.js';

/** A service that listens for requests. */
export interface Service {
  /** Base URL without a slash at the end, such as `http://127.0.0.1:8080`; with the port that was picked. */
  readonly url: string;
  /** Resolves when the code that most steps need is loaded, or failed to load. Requests are accepted before that. */
  readonly warm: Promise<void>;
  /**
   * Reports not ready, closes the listener after `SHUTDOWN_DELAY_MS`, finishes accepted requests for at most
   * `SHUTDOWN_GRACE_MS`, answers the rest with 503, and releases all resources. Further calls return the same
   * promise.
   */
  close(): Promise<void>;
}

/** Maximum time in milliseconds in which a request body must have arrived completely. */
const BODY_TIMEOUT_MS = 30_000;

/**
 * Starts a service and resolves once it listens.
 *
 * @param settings by environment variable name, as text or as plain values; omitted ones have their default
 * (rule: settings). `{ PORT: 0 }` picks a free port.
 * @param logger receives one `info` record per request. By default, the service writes JSON lines to standard
 * output, from `LOG_LEVEL` on.
 * @param handedRuns saved runs as JSON, by unguessable names. Only the playground reads them: `/#/NAME` opens a
 * run, read-only if its name begins with `view-`.
 * @throws `ConfigError` if the settings are invalid, or the listener's own error if it cannot use the address.
 */
export async function startService(
  settings: Settings = {},
  logger?: Logger,
  handedRuns: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const config = completeSettings(settings);
  const collector = collectorUrl(config);
  const opened: Close[] = [];
  try {
    return await open(config, { collector, logger, handedRuns, opened });
  } catch (error) {
    await closeAll(opened);
    throw error;
  }
}

type Close = () => unknown;

/** Closes everything in the reverse order of opening. */
async function closeAll(opened: readonly Close[]): Promise<void> {
  for (const close of opened.toReversed()) {
    try {
      await close();
    } catch {
      // One resource could not be loaded or closed. The others must still be closed.
    }
  }
}

interface OpenOptions {
  /** URL that spans are sent to. */
  readonly collector: string | undefined;
  readonly logger: Logger | undefined;
  readonly handedRuns: Readonly<Record<string, string>>;
  /** Receives a close function as soon as each resource is opened. */
  readonly opened: Close[];
}

async function open(
  config: Config,
  { collector, logger, handedRuns, opened }: OpenOptions,
): Promise<Service> {
  const log = logger ?? openLog(config, opened);
  const tokens = await openTokens(config, log);
  opened.push(() => tokens?.close());
  const limited = await openLimits(config, log);
  opened.push(() => limited?.close());
  const tracing = await openTracing(collector, log);
  opened.push(() => tracing.close());
  const runs = await openRunFiles(config, log);
  opened.push(() => runs?.close());
  const watch = config.WATCH === 'on' ? new WatchRoom() : undefined;
  if (watch) log.info('every step can be watched, with its prompt and its reply (WATCH=on)');
  const lag = watchEventLoop();
  opened.push(lag.stop);
  const inFlight = new InFlight({
    max: config.MAX_IN_FLIGHT,
    maxBytes: config.MAX_BYTES_IN_FLIGHT ?? defaultMaxBytes(),
    maxLagMs: config.MAX_EVENT_LOOP_LAG_MS,
    lagMs: lag.lagMs,
  });
  const offline = onDemand(() =>
    import('../offline/offline-model.js').then((room) => room.startOfflineModel()),
  );
  opened.push(() => offline.made()?.then((model) => model.close()));
  const refused = new RefusedConnections();
  const metrics = new ServiceMetrics({
    version,
    refusedConnections: refused.counts,
    inFlight,
    lagMs: lag.lagMs,
    maxLagMs: config.MAX_EVENT_LOOP_LAG_MS,
    droppedLines,
    redis: limited?.store,
  });
  const agent = onDemand(async () => {
    const room = await import('./make-agent.js');
    const startOffline = async () => `${(await offline.get()).url}/v1`;
    return room.makeAgent(config, { metrics, startOffline, record: runs?.record, watch });
  });
  opened.push(() => agent.made()?.then(({ models }) => models.close()));
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
    gatewaySecrets: credentialsIn(config.UPSTREAMS),
    log,
    version,
    handedRuns,
    watch,
  });
  const server = createServer(app, {}, refused);
  const url = await listen(server, config);
  // If loading fails here, the first request that needs the code tries again and reports the failure.
  const warm = warmUp(agent.get).catch(() => {});
  const closing = onDemand(() =>
    close(server, { inFlight, agent, watch }, config).then(() => closeAll(opened)),
  );
  return { url, warm, close: closing.get };
}

function openLog(config: Config, opened: Close[]): Logger {
  const log = createLog(config.LOG_LEVEL);
  opened.push(() => log.close());
  return log.logger;
}

/**
 * Opens the file of bearer tokens, if one is configured; only then is the code that reads it loaded. Throws
 * `ConfigError`.
 */
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

/** Opens the limits on callers, if any limit is configured. */
async function openLimits(
  { AUTH_TOKENS_FILE, RATE_LIMIT_PER_MINUTE, REDIS_URL }: Config,
  log: Logger,
): Promise<OpenLimits | undefined> {
  if (AUTH_TOKENS_FILE === undefined && RATE_LIMIT_PER_MINUTE === 0) return undefined;
  const room = await import('./operations/limits/open-limits.js');
  return room.openLimits({ requestsPerMinute: RATE_LIMIT_PER_MINUTE, redisUrl: REDIS_URL, log });
}

/** Opens the folder in which steps are recorded, if one is configured (rule: recorded-steps). */
async function openRunFiles(config: Config, log: Logger): Promise<RunFiles | undefined> {
  const { RECORD_DIR: folder, RECORD_MAX_BYTES: maxBytes } = config;
  if (folder === undefined) return undefined;
  const room = await import('./recording/run-files.js');
  log.info({ folder, maxBytes }, 'every step is recorded, with its prompt and its reply');
  return new room.RunFiles({ folder, maxBytes, log });
}

const NO_GRPC =
  'OTEL_EXPORTER_OTLP_PROTOCOL: gRPC is not supported; set http/protobuf and the HTTP port of the collector, 4318 by default, or turn tracing off with OTEL_TRACES_EXPORTER=none';

/** Opens the tracing. OpenTelemetry's SDK is loaded only if a collector is configured (rule: tracing). */
async function openTracing(url: string | undefined, log: Logger): Promise<Tracing> {
  if (url === undefined) return passOnTraces;
  const room = await import('./operations/tracing/open-tracing.js');
  return room.openTracing({ url, log, version });
}

/**
 * Returns the URL that spans are sent to, including the path; undefined if tracing is off
 * (rule: tracing-settings). Throws `ConfigError` for gRPC, which is not supported.
 */
function collectorUrl(config: Config): string | undefined {
  if (config.OTEL_SDK_DISABLED === 'true' || config.OTEL_TRACES_EXPORTER === 'none') return undefined;
  const { OTEL_EXPORTER_OTLP_ENDPOINT: base, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: whole } = config;
  if (whole === undefined && base === undefined) return undefined;
  const protocol =
    process.env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] || process.env['OTEL_EXPORTER_OTLP_PROTOCOL'];
  if (protocol === 'grpc') throw new ConfigError([NO_GRPC]);
  if (whole !== undefined || base === undefined) return whole;
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`;
  return url.href;
}

/** Loads the code that most steps need in the background, so that a new process can listen at once. */
async function warmUp(agent: () => Promise<Agent>): Promise<void> {
  const { models } = await agent();
  await import('./http/routes/step-routes.js');
  const { loadEncoding } = await import('../tokens/encodings.js');
  await loadEncoding('o200k_base');
  await models.warmUp();
}

/** The sources of requests that still wait for their response. */
interface Pending {
  readonly inFlight: InFlight;
  /** Requests that wait for the agent to load, and so are not in flight yet. */
  readonly agent: OnDemand<Agent>;
  /** Watchers, who see the last steps end. */
  readonly watch: WatchRoom | undefined;
}

/**
 * Stops the server. With `SHUTDOWN_DELAY_MS`, it first reports not ready and still serves, so that balancers have
 * time to notice; then the listener closes. Without it, the listener stays open until all requests are answered,
 * and answers new ones with 503.
 */
async function close(server: Server, pending: Pending, config: Config): Promise<void> {
  const { inFlight } = pending;
  const closed = once(server, 'close');
  if (config.SHUTDOWN_DELAY_MS > 0) {
    inFlight.announceDrain();
    await sleep(config.SHUTDOWN_DELAY_MS);
    server.close();
  } else inFlight.refuse();
  await drain(pending, config.SHUTDOWN_GRACE_MS);
  pending.watch?.close();
  if (server.listening) server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), LAST_ANSWERS_MS);
  await closed;
  clearTimeout(timer);
}

async function listen(server: Server, { HOST, PORT }: Config): Promise<string> {
  await once(server.listen(PORT, HOST), 'listening');
  // Cast: `address()` is an object for a server that listens on TCP.
  const { address, family, port } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/**
 * Time in which requests that have already reached the sockets are still answered, after the last response was
 * sent.
 */
const LAST_REQUESTS_MS = 100;
/** Time that sending the last responses may take. None of them waits for a model. */
const LAST_ANSWERS_MS = 1_000;

/** Waits until every request is answered. At the end of the grace time, the remaining ones are answered with 503. */
async function drain({ inFlight, agent }: Pending, graceMs: number): Promise<void> {
  const timer = setTimeout(() => inFlight.interruptAll(), graceMs);
  do {
    await agent.made()?.catch(() => {}); // the requests that wait for the agent report the failure
    await inFlight.idle();
    await sleep(LAST_REQUESTS_MS);
  } while (inFlight.count > 0);
  clearTimeout(timer);
}
