import { isIP } from 'node:net';
import { z } from 'zod';
import { explainIssue } from '../../contract/explain-issue.js';
import { isLowerCaseProxy, proxyVariables } from '../../network/proxies/proxy-settings.js';
import { isProxy } from '../operations/limits/client-address.js';
import { looksSecret } from '../providers/secret.js';
import { findExposure } from './exposure.js';
import { findMisunderstood } from './misunderstood-settings.js';
import {
  contextServiceUrl,
  httpUrl,
  isFile,
  isFolder,
  isRedisUrl,
  isWritableFolder,
  json,
  proxyUrl,
  upstreamUrl,
  wholeNumber,
} from './setting-kinds.js';
import type { Settings } from './settings.js';
import { upstreamsSchema } from './upstream-settings.js';

/** The configuration is invalid. Each problem names its variable and never contains the value. */
export class ConfigError extends Error {
  /** Tells this error from others, also across copies of the package. */
  override readonly name = 'ConfigError';
  /** One sentence for each wrong setting, which begins with its name, such as `PORT: expected a whole number …`. */
  readonly problems: readonly string[];

  /** The message has one line for each problem. */
  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

type Checked = z.output<ReturnType<typeof configSchema>>;

/** Names of the settings that have a default. */
type Defaulted = {
  [Name in keyof Checked]-?: undefined extends Checked[Name] ? never : Name;
}[keyof Checked];

/** All settings of a service, validated, with defaults filled in. Texts are replaced by the values they stand for. */
// `Pick` and `Omit` keep the docstrings of `Settings` for editors.
export type Config = { readonly [Name in keyof Required<Pick<Settings, Defaulted>>]: Checked[Name] } & {
  readonly [Name in keyof Pick<Settings, Exclude<keyof Settings, Defaulted>>]: Checked[Name];
};

type Environment = Readonly<Record<string, string | undefined>>;

/** Options of `readConfig`. */
export interface ReadOptions {
  /** True also ignores names that look like misspelled settings, for an environment that belongs to another program. Default: false. */
  readonly ignoreOthers?: boolean | undefined;
}

/**
 * Reads the configuration from an environment (rule: settings). Ignores unrelated variables, but rejects names
 * that were evidently intended for this service: if they were ignored, the service would run with settings its
 * operator did not choose.
 *
 * @throws `ConfigError` that names each wrong variable.
 */
export function readConfig(environment: Environment, { ignoreOthers = false }: ReadOptions = {}): Config {
  // Compose files and manifests pass unset variables as empty strings.
  const given = Object.entries(environment).filter(([, value]) => value !== undefined && value !== '');
  const ours = {
    ...Object.fromEntries(given.filter(([name]) => isSetting(name))),
    ...proxyVariables(environment),
  };
  const names = given.map(([name]) => name).filter((name) => !isLowerCaseProxy(name));
  return check(ours, environment, ignoreOthers ? [] : findMisunderstood(names, settingNames));
}

/** Fills in default settings. Throws `ConfigError`, also for an unknown name. */
export function completeSettings(settings: Settings): Config {
  const names = Object.keys(settings);
  return check(
    settings,
    process.env,
    names.filter((name) => !isSetting(name)).map((name) => `${name}: unknown setting`),
  );
}

function check(settings: unknown, environment: Environment, problems: readonly string[]): Config {
  const result = configSchema(environment).safeParse(settings, { error: explainIssue });
  const issues = result.error?.issues ?? [];
  const wrong = [...problems, ...issues.map(({ path, message }) => `${placeOf(path)}: ${message}`)];
  if (!result.success || wrong.length > 0) throw new ConfigError(wrong);
  return result.data;
}

/**
 * Returns the path of a validation issue. Stops before a part that does not look like a name, because it may be a
 * secret that was put in the wrong place.
 */
function placeOf([setting, ...path]: readonly PropertyKey[]): string {
  const end = path.findIndex((name) => !isName(String(name)));
  return [setting, ...(end < 0 ? path : path.slice(0, end))].join('.');
}

/** Returns whether a text looks like the name of a setting, an upstream or a model, such as `openai/gpt-oss:20b`. */
const isName = (text: string): boolean =>
  text.length <= 64 && /^[\w.-]+(?:[:/][\w.-]+)*$/.test(text) && !looksSecret(text);

const isSetting = (name: string): boolean => settingNames.includes(name);

/**
 * Returns whether a text is a link-local IPv6 address (RFC 4291 §2.5.6) without the zone that names its network
 * interface.
 */
const isLinkLocal = (host: string): boolean => /^fe[89ab][\da-f]:/i.test(host) && !host.includes('%');

/**
 * Returns whether a text is an IP address or a host name. A host name must contain a letter: otherwise a wrong
 * IPv4 address such as `300.1.1.1` would pass as a host name.
 */
function isHost(host: string): boolean {
  return isIP(host) > 0 || /^(?=.*[a-z])[a-z\d]([a-z\d.-]*[a-z\d])?$/i.test(host);
}

const tokensFile = z
  .string()
  .refine(isFile, 'expected the path of a readable file; create one with `stepwise token NAME --file FILE`');
const REDIS =
  'expected a URL such as redis://127.0.0.1:6379, or rediss:// for TLS, with an optional database number as path, such as /2';
const PROXIES =
  'expected the number of trusted proxies, such as 1, or their addresses, such as 10.0.0.0/8, loopback';
const folder = z.string().refine(isFolder, 'expected the path of a readable folder');
const writableFolder = z
  .string()
  .refine(isWritableFolder, 'expected the path of a folder that this service can write to');

const projectId = z.uuid(
  'expected a project id as the name, a UUID such as 6f9619ff-8b86-4d01-b42d-00cf4fc964ff',
);

const projects = z
  .record(z.string(), z.unknown())
  .refine(
    (folders) =>
      new Set(Object.keys(folders).map((id) => id.toLowerCase())).size === Object.keys(folders).length,
    {
      error: 'a project is listed twice: ids are compared without regard to case',
      abort: true,
    },
  )
  .pipe(z.record(projectId.toLowerCase(), folder));

const settings = (environment: Environment) =>
  ({
    HOST: z
      .string()
      .refine(isHost, { error: 'expected an IP address such as 127.0.0.1, or a host name', abort: true })
      .refine((host) => !isLinkLocal(host), {
        error: 'a link-local address needs its interface, such as fe80::1%eth0',
        abort: true,
      })
      .default('127.0.0.1'),
    PORT: wholeNumber(0, 65_535).default(8_080),
    LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
    OPENAI_UPSTREAM_URL: upstreamUrl.default('https://api.openai.com/v1'),
    ANTHROPIC_UPSTREAM_URL: upstreamUrl.default('https://api.anthropic.com'),
    UPSTREAMS: json(upstreamsSchema(environment), '{"ollama":"http://127.0.0.1:11434/v1"}').default({}),
    OFFLINE_MODEL: z.enum(['on', 'off']).default('on'),
    PROJECTS: json(projects, '{"6f9619ff-8b86-4d01-b42d-00cf4fc964ff":"/srv/shop"}').default({}),
    PROJECTS_DIR: folder.optional(),
    CONTEXT_SERVICE_URL: contextServiceUrl.optional(),
    RECORD_DIR: writableFolder.optional(),
    RECORD_MAX_BYTES: wholeNumber(2 ** 20, 2 ** 40).default(2 ** 28),
    WATCH: z.enum(['on', 'off']).default('off'),
    AUTH_TOKENS_FILE: tokensFile.optional(),
    ALLOW_UNAUTHENTICATED: z.enum(['on', 'off']).default('off'),
    RATE_LIMIT_PER_MINUTE: wholeNumber(0, 1_000_000).default(0),
    REDIS_URL: z
      .url({ protocol: /^rediss?$/, error: REDIS, abort: true })
      .refine(isRedisUrl, REDIS)
      .optional(),
    TRUST_PROXY: z
      .union([wholeNumber(0, 32), z.array(z.string()).min(1), z.string().transform(splitList)])
      .refine((value) => typeof value === 'number' || value.every(isProxy), PROXIES)
      .optional(),
    CORS_ORIGINS: z
      .union([z.array(z.string()), z.string().transform(splitList)])
      .pipe(
        z.array(
          z
            .string()
            .refine(
              isOrigin,
              'expected full origins without wildcards, separated by commas, such as https://app.example',
            ),
        ),
      )
      .default([]),
    MAX_BODY_BYTES: wholeNumber(1_024, 2 ** 28).default(4 * 2 ** 20),
    MAX_IN_FLIGHT: wholeNumber(1, 1_000_000).default(2_048),
    MAX_BYTES_IN_FLIGHT: wholeNumber(1, 2 ** 40).optional(),
    MAX_EVENT_LOOP_LAG_MS: wholeNumber(20, 3_600_000).default(250),
    STEP_DEADLINE_MS: wholeNumber(1, 3_600_000).default(120_000),
    SHUTDOWN_DELAY_MS: wholeNumber(0, 600_000).default(0),
    SHUTDOWN_GRACE_MS: wholeNumber(0, 3_600_000).default(125_000),
    HTTP_PROXY: proxyUrl.optional(),
    HTTPS_PROXY: proxyUrl.optional(),
    NO_PROXY: z.string().optional(),
    OTEL_EXPORTER_OTLP_ENDPOINT: httpUrl.optional(),
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: httpUrl.optional(),
    OTEL_TRACES_EXPORTER: z.string().optional(),
    OTEL_SDK_DISABLED: z.string().optional(),
  }) satisfies { readonly [Name in keyof Settings]-?: z.ZodType<unknown, Settings[Name]> };

/** Returns the schema of all settings. `UPSTREAMS` may refer to variables of the environment. */
const configSchema = (environment: Environment) =>
  z.object(settings(environment)).superRefine((config, context) => {
    const found = findExposure(config);
    if (found) context.addIssue({ code: 'custom', path: [found.setting], message: found.problem });
  });

const settingNames = Object.keys(settings({}));

function splitList(text: string): string[] {
  return text.split(',').map((each) => each.trim());
}

function isOrigin(text: string): boolean {
  return !text.includes('*') && URL.canParse(text) && new URL(text).origin === text;
}

/** Prints the configuration as JSON and masks secrets in URLs. */
export function printConfig(config: Config): string {
  const masked = (_name: string, value: unknown) => (typeof value === 'string' ? maskUrl(value) : value);
  return JSON.stringify(config, masked, 2);
}

/** Masks user, password, query and fragment of a URL. Returns other texts unchanged. */
function maskUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^(?:https?|rediss?):$/.test(url.protocol)) return text;
  const { username, password, search, hash } = url;
  if (!username && !password && !search && !hash) return text;
  if (username || password) Object.assign(url, { username: '***', password: '' });
  if (search) url.search = '?***';
  if (hash) url.hash = '#***';
  return url.href;
}
