import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { describeBug } from './http/failure/error-handler.js';
import { createLog, type ServiceLog } from './operations/logging/log.js';
import { type Config, ConfigError, printConfig, readConfig } from './settings/config.js';
import { exitCodes, type Signals } from './signals.js';
import { openTokens, type Service, startService } from './start.js';

const help = `Usage: stepwise serve [--print-config] [--help]

Starts the Stepwise service. All settings are environment variables:

  HOST, PORT               address and port to listen on (127.0.0.1, 8080)
  LOG_LEVEL                debug, info, warn, error or silent; the log is JSON lines on stdout (info)
  OPENAI_UPSTREAM_URL      base URL with /v1 (https://api.openai.com/v1)
  ANTHROPIC_UPSTREAM_URL   base URL without /v1 (https://api.anthropic.com)
  UPSTREAMS                JSON: name to URL, or to { url, wire, keyRequired, contextWindow, protocol, models,
                           maxTokensParam, encoding, structured, headers, query, keyHeader, caFile };
                           a key is required over https, unless keyRequired is false
  OFFLINE_MODEL            on or off: the embedded model, which needs no key (on)
  PROJECTS, PROJECTS_DIR   JSON: project id to folder; a folder whose subfolders are named by project id
  CONTEXT_SERVICE_URL      URL of a service that supplies files and pinned items (none)
  RECORD_DIR               folder in which every step is recorded, for stepwise eval (none)
  RECORD_MAX_BYTES         maximum size of that folder; the oldest runs are deleted first (268435456)
  WATCH                    on: the last steps are kept in memory and streamed at /api/agent/watch (off)
  AUTH_TOKENS_FILE         YAML file of tokens; create it with: stepwise token NAME --file FILE (none: local callers only)
  ALLOW_UNAUTHENTICATED    on: a proxy in front of the service authenticates callers (off)
  RATE_LIMIT_PER_MINUTE    requests per token, or per address if there are no tokens (0: no limit)
  REDIS_URL                Redis or Valkey in which several processes share their limits (none)
  HTTPS_PROXY, HTTP_PROXY  URLs of the proxies on the way to upstreams and the context service (none)
  NO_PROXY                 hosts to reach without a proxy, comma-separated; loopback addresses never use one (none)
  TRUST_PROXY              number or addresses of the proxies whose X-Forwarded-For is trusted (none)
  CORS_ORIGINS             web origins that may call, comma-separated (none)
  MAX_BODY_BYTES           maximum size of a request body (4194304)
  MAX_IN_FLIGHT            maximum number of requests in flight (2048)
  MAX_BYTES_IN_FLIGHT      maximum bytes of requests in flight (an eighth of the heap limit less 120 MiB)
  MAX_EVENT_LOOP_LAG_MS    event loop lag above which requests are rejected (250)
  STEP_DEADLINE_MS         maximum time of a step (120000)
  SHUTDOWN_DELAY_MS        time after SIGTERM in which requests are still accepted while /readyz returns 503 (0)
  SHUTDOWN_GRACE_MS        maximum time of accepted requests after that (125000)
  OTEL_…                   tracing: OTEL_EXPORTER_OTLP_ENDPOINT and others, see docs/reference/service.md (none)
`;

/** Writes a line for people to standard error, because standard output carries the log. */
const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

/** Runs the command that the arguments name. Resolves when the command has ended or the service listens. */
export async function run(signals: Signals): Promise<void> {
  await start(signals).catch(explain);
}

async function start(signals: Signals): Promise<void> {
  const { values } = parseArgs({
    options: { help: { type: 'boolean' }, 'print-config': { type: 'boolean' } },
  });
  if (values.help) {
    process.stdout.write(help);
    return;
  }
  const config = readConfig(process.env);
  if (values['print-config']) {
    (await openTokens(config, pino({ level: 'silent' })))?.close(); // an invalid file throws
    process.stdout.write(`${printConfig(config)}\n`);
    return;
  }
  await serve(config, signals);
}

async function serve(config: Config, signals: Signals): Promise<void> {
  const log = createLog(config.LOG_LEVEL);
  const service = await startService(config, log.logger);
  stopOnSignals(service, { log, signals });
  stopOnBugs(service, log);
  const watched =
    config.WATCH === 'on' ? `; WATCH=on: every step can be watched at ${service.url}/api/agent/watch` : '';
  say(`Stepwise listens on ${service.url} (contract: ${service.url}/docs)${watched}`);
}

/** Drains the service at the first signal. At a second signal, exits as soon as the last log lines are written. */
function stopOnSignals(
  service: Service,
  { log, signals }: { readonly log: ServiceLog; readonly signals: Signals },
): void {
  signals.setHandlers({
    stop: (signal) => {
      log.logger.info({ signal }, 'draining: answering accepted requests, then exiting');
      void end(service, log, exitCodes.stopped);
    },
    exitNow: () => log.close(),
  });
}

/**
 * Ends the process after an uncaught error, because its state is unknown. Accepted requests are answered
 * first.
 */
function stopOnBugs(service: Service, log: ServiceLog): void {
  const stop = (thrown: unknown): void => {
    log.logger.fatal(
      { bug: describeBug(thrown) },
      'uncaught error: answering accepted requests, then exiting',
    );
    void end(service, log, exitCodes.failed);
  };
  process.on('uncaughtException', stop).on('unhandledRejection', stop);
}

async function end(service: Service, log: ServiceLog, exitCode: number): Promise<void> {
  try {
    await service.close();
  } finally {
    await log.close();
    process.exit(exitCode);
  }
}

function explain(thrown: unknown): void {
  const isMisuse = thrown instanceof ConfigError || codeOf(thrown).startsWith('ERR_PARSE_ARGS_');
  process.exitCode = isMisuse ? exitCodes.misconfigured : exitCodes.failed;
  say(explanationOf(thrown));
}

function explanationOf(thrown: unknown): string {
  const code = codeOf(thrown);
  if (thrown instanceof ConfigError)
    return `The configuration is invalid:\n${thrown.problems.map((problem) => `  ${problem}`).join('\n')}`;
  if (code.startsWith('ERR_PARSE_ARGS_')) return `The only options are --print-config and --help.\n\n${help}`;
  if (code === 'EADDRINUSE')
    return 'Another process uses this address: set another PORT (0 picks a free one) or HOST.';
  if (isOfListening(thrown) && ['EACCES', 'EADDRNOTAVAIL', 'EINVAL'].includes(code))
    return 'This process may not listen on the address in HOST and PORT: set HOST to 127.0.0.1, or PORT above 1023.';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return 'HOST is not an address of this machine: set it to an IP address such as 127.0.0.1 or 0.0.0.0.';
  return `The service could not start: ${JSON.stringify(describeBug(thrown))}`;
}

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';

/** Returns whether the error comes from listening on the address; errors of files have the same codes. */
const isOfListening = (thrown: unknown): boolean =>
  thrown instanceof Error && 'syscall' in thrown && thrown.syscall === 'listen';
