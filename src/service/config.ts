import { statSync } from 'node:fs';
import { isIP } from 'node:net';
import { z } from 'zod';

/** The environment does not make a service. Each problem names its variable and repeats no value. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

export type Config = z.output<typeof configSchema>;
type Environment = Readonly<Record<string, string | undefined>>;

/** The configuration, by the names of its variables (rule: settings). Throws `ConfigError`. */
export function readConfig(environment: Environment): Config {
  // Compose files and manifests pass what is not set as an empty string.
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const result = configSchema.safeParse(given);
  if (result.success) return result.data;
  throw new ConfigError(result.error.issues.map(({ path, message }) => `${path.join('.')}: ${message}`));
}

/** The configuration as JSON to look at; whatever a URL may hide is masked. */
export function printConfig(config: Config): string {
  const masked = (_name: string, value: unknown) => (typeof value === 'string' ? maskUrl(value) : value);
  return JSON.stringify(config, masked, 2);
}

const wholeNumber = (min: number, max: number) =>
  z
    .string()
    .regex(/^\d{1,10}$/, `expected a whole number from ${min} to ${max}`)
    .transform(Number)
    .refine((value) => value >= min && value <= max, `expected a whole number from ${min} to ${max}`);

const json = <Schema extends z.ZodType>(schema: Schema) =>
  z
    .string()
    .transform((text, context) => {
      try {
        return JSON.parse(text);
      } catch {
        context.addIssue({ code: 'custom', message: 'expected JSON' });
        return z.NEVER;
      }
    })
    .pipe(schema);

const url = z.url({ protocol: /^https?$/, error: 'expected an http or https URL' });
const folder = z.string().refine(isFolder, 'expected a folder that exists');

const upstream = z
  .strictObject({
    url,
    keyRequired: z.boolean().optional(),
    contextWindow: z.int().positive().exactOptional(),
    maxTokensParam: z.enum(['max_tokens', 'max_completion_tokens']).exactOptional(),
    encoding: z.enum(['o200k_base', 'cl100k_base']).exactOptional(),
  })
  // A key belongs on an encrypted connection; whoever wants it on another says so.
  .transform(({ keyRequired, ...rest }) => ({
    ...rest,
    keyRequired: keyRequired ?? rest.url.startsWith('https:'),
  }));

const upstreamName = z
  .string()
  .regex(/^[a-z][\w.-]{0,63}$/, 'a name is made of letters, digits, `_`, `.` and `-`')
  .refine((name) => !['openai', 'anthropic', 'offline'].includes(name), 'this name is taken');

const configSchema = z
  .object({
    HOST: z.string().default('127.0.0.1'),
    PORT: wholeNumber(0, 65_535).default(8_080),
    LOG_LEVEL: z.enum(['debug', 'info', 'warn', 'error', 'silent']).default('info'),
    OPENAI_UPSTREAM_URL: url.default('https://api.openai.com/v1'),
    ANTHROPIC_UPSTREAM_URL: url.default('https://api.anthropic.com'),
    UPSTREAMS: json(
      z.record(upstreamName, z.union([url.transform((plain) => ({ url: plain })).pipe(upstream), upstream])),
    ).default({}),
    OFFLINE_MODEL: z.enum(['on', 'off']).default('on'),
    PROJECTS: json(z.record(z.uuid().toLowerCase(), folder)).default({}),
    PROJECTS_DIR: folder.optional(),
    CONTEXT_SERVICE_URL: url.optional(),
    CORS_ORIGINS: z
      .string()
      .transform(splitList)
      .pipe(z.array(z.string().refine(isOrigin, 'expected origins')))
      .default([]),
    MAX_BODY_BYTES: wholeNumber(1_024, 2 ** 28).default(4 * 2 ** 20),
    MAX_IN_FLIGHT: wholeNumber(1, 1_000_000).default(2_048),
    STEP_DEADLINE_MS: wholeNumber(1, 3_600_000).default(120_000),
    SHUTDOWN_GRACE_MS: wholeNumber(0, 3_600_000).default(125_000),
  })
  .refine((config) => isLoopback(config.HOST) || !servesProjects(config), {
    path: ['HOST'],
    error: 'PROJECTS, PROJECTS_DIR and CONTEXT_SERVICE_URL may only be served on a loopback address',
  });

interface ProjectSettings {
  readonly PROJECTS: Readonly<Record<string, string>>;
  readonly PROJECTS_DIR?: string | undefined;
  readonly CONTEXT_SERVICE_URL?: string | undefined;
}

const servesProjects = ({ PROJECTS, PROJECTS_DIR, CONTEXT_SERVICE_URL }: ProjectSettings): boolean =>
  Object.keys(PROJECTS).length > 0 || PROJECTS_DIR !== undefined || CONTEXT_SERVICE_URL !== undefined;

const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

function splitList(text: string): string[] {
  return text.split(',').map((each) => each.trim());
}

function isOrigin(text: string): boolean {
  return URL.canParse(text) && new URL(text).origin === text;
}

function maskUrl(text: string): string {
  if (!/^https?:/.test(text) || !URL.canParse(text)) return text;
  const masked = new URL(text);
  const { username, password, search } = masked;
  if (!username && !password && !search) return text;
  if (username || password) Object.assign(masked, { username: '***', password: '' });
  if (search) masked.search = '?***';
  return masked.href;
}
