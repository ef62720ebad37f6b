import { parseArgs } from 'node:util';
import { pino } from 'pino';
import { type Config, ConfigError, readConfig } from './config.js';
import { describeBug } from './http/failure/error-handler.js';
import { createLog, type ServiceLog } from './operations/logging/log.js';
import { printConfig } from './print-config.js';
import { exitCodes, type Signals } from './signals.js';
import { openTokens, type Service, startService } from './start.js';

const help = `Usage: stepwise serve [--print-config] [--help]

Starts the Stepwise service. Configured by the environment alone:

  HOST, PORT               where to listen (127.0.0.1, 8080)
  LOG_LEVEL                debug, info, warn, error or silent; JSON lines on stdout (info)
  OPENAI_UPSTREAM_URL      with /v1 (https://api.openai.com/v1)
  ANTHROPIC_UPSTREAM_URL   without /v1 (https://api.anthropic.com)
  UPSTREAMS                JSON: name to URL, or to { url, keyRequired, contextWindow, maxTokensParam, encoding };
                           a key is required where the URL is https, unless keyRequired says otherwise
  OFFLINE_MODEL            on or off: the embedded model that needs no key (on)
  PROJECTS, PROJECTS_DIR   JSON: project id to folder; a folder of folders named by project id
  CONTEXT_SERVICE_URL      where else files and pinned items come from
  AUTH_TOKENS_FILE         YAML: who may call; stepwise token NAME --file FILE makes it (none: this machine alone)
  ALLOW_UNAUTHENTICATED    on: something in front of the service knows its callers (off)
  RATE_LIMIT_PER_MINUTE    requests of one token, or of one address where there are no tokens (0: no limit)
  REDIS_URL                Redis or Valkey, through which several processes share their limits (none)
  TRUST_PROXY              how many proxies stand in front, or their addresses: whose X-Forwarded-For counts (none)
  CORS_ORIGINS             web pages that may call, comma-separated (none)
  MAX_BODY_BYTES           of one request (4194304)
  MAX_IN_FLIGHT            steps at the same time (2048)
  MAX_EVENT_LOOP_LAG_MS    how late the event loop may run before steps are refused (250)
  STEP_DEADLINE_MS         the longest a step may take (120000)
  SHUTDOWN_DELAY_MS        how long after SIGTERM steps are still taken, while /readyz says 503 (0)
  SHUTDOWN_GRACE_MS        how long accepted steps may still take after that (125000)
  OTEL_…                   traces: OTEL_EXPORTER_OTLP_ENDPOINT and others, as docs/reference/service.md has them (none)
`;

/** Writes a line for people; standard output carries the log. */
const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

/** Runs the command by its arguments and the environment, to its end or until it listens. */
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
    (await openTokens(config, pino({ level: 'silent' })))?.close(); // a wrong file ends the start
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
  say(`Stepwise listens on ${service.url} (contract: ${service.url}/docs)`);
}

/** Drains at the first signal; a second one waits for the last log lines only. */
function stopOnSignals(
  service: Service,
  { log, signals }: { readonly log: ServiceLog; readonly signals: Signals },
): void {
  signals.handTo({
    stop: (signal) => {
      log.logger.info({ signal }, 'draining');
      void end(service, log, exitCodes.stopped);
    },
    hurry: () => log.close(),
  });
}

/** After a bug the state of the process is unknown: accepted requests are answered, then it ends. */
function stopOnBugs(service: Service, log: ServiceLog): void {
  const stop = (thrown: unknown): void => {
    log.logger.fatal({ bug: describeBug(thrown) }, 'uncaught');
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
    return `The configuration is wrong:\n${thrown.problems.map((problem) => `  ${problem}`).join('\n')}`;
  if (code.startsWith('ERR_PARSE_ARGS_'))
    return `This program takes --print-config or --help, and nothing else.\n\n${help}`;
  if (code === 'EADDRINUSE')
    return 'The address is in use by another process: set PORT (0 takes a free one) or HOST.';
  if (isOfListening(thrown) && ['EACCES', 'EADDRNOTAVAIL', 'EINVAL'].includes(code))
    return 'HOST and PORT name an address that this process may not use: set HOST to 127.0.0.1, or PORT above 1023.';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN')
    return 'HOST names no address of this machine: write an IP address such as 127.0.0.1 or 0.0.0.0.';
  return `The service could not start: ${JSON.stringify(describeBug(thrown))}`;
}

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && 'code' in thrown ? String(thrown.code) : '';

/** Whether an error is of the listener: files have errors of the same names. */
const isOfListening = (thrown: unknown): boolean =>
  thrown instanceof Error && 'syscall' in thrown && thrown.syscall === 'listen';
