import type { ToolLimits } from '../../tools/limits.js';
import { parseOptions } from './parse-options.js';
import { UsageError } from './usage.js';

/** What the command line asks for. */
export type Invocation =
  | { readonly command: 'run'; readonly task: string | undefined; readonly options: RunFlags }
  | {
      readonly command: 'tool';
      readonly name: string | undefined;
      readonly args: string;
      readonly options: RunFlags;
    }
  | { readonly command: 'replay'; readonly file: string; readonly options: RunFlags }
  | {
      readonly command: 'token';
      readonly name: string;
      readonly projects: readonly string[];
      readonly expires: string | undefined;
      readonly file: string | undefined;
    }
  | { readonly command: 'help' }
  | { readonly command: 'version' };

export interface RunFlags {
  readonly dir: string;
  readonly model: string | undefined;
  readonly upstream: string | undefined;
  readonly protocol: 'text' | 'xml' | 'json' | 'native' | 'auto' | undefined;
  readonly strategy: 'react' | 'reason-act-observe' | undefined;
  readonly maxSteps: number | undefined;
  readonly tokenLimit: number | undefined;
  readonly files: readonly string[];
  readonly pins: readonly string[];
  readonly tools: string | undefined;
  readonly yes: boolean;
  readonly json: boolean;
  readonly verbose: boolean;
  readonly save: string | undefined;
  readonly resume: string | undefined;
  readonly server: string | undefined;
  /** The service's own; for `server` alone. */
  readonly token: string | undefined;
  readonly limits: Partial<ToolLimits>;
}

const TOKEN_WHAT =
  'token needs a name for whom it is. Usage: stepwise token NAME [--project ID]… [--expires DATE] [--file FILE]';
const REPLAY_WHAT = 'replay needs the file of a saved run. Usage: stepwise replay FILE [--json]';

/** Neither an argument nor a pipe nor a person said what to do. */
export const NO_TASK =
  'There is no task. Give one: stepwise "How is the discount calculated?", or pipe it in; at a terminal, stepwise alone asks for it.';

const MAX_COMMAND_SECONDS = 86_400;

const protocols = ['text', 'xml', 'json', 'native', 'auto'] as const;
const strategies = ['react', 'reason-act-observe'] as const;

const options = {
  dir: { type: 'string', default: '.' },
  model: { type: 'string' },
  upstream: { type: 'string' },
  protocol: { type: 'string' },
  strategy: { type: 'string' },
  'max-steps': { type: 'string' },
  'token-limit': { type: 'string' },
  file: { type: 'string', multiple: true },
  pin: { type: 'string', multiple: true },
  tools: { type: 'string' },
  yes: { type: 'boolean', short: 'y', default: false },
  json: { type: 'boolean', default: false },
  verbose: { type: 'boolean', short: 'v', default: false },
  save: { type: 'string' },
  resume: { type: 'string' },
  server: { type: 'string' },
  token: { type: 'string' },
  project: { type: 'string', multiple: true },
  expires: { type: 'string' },
  'max-lines': { type: 'string' },
  'max-files': { type: 'string' },
  'max-matches': { type: 'string' },
  'command-timeout': { type: 'string' },
  help: { type: 'boolean', short: 'h', default: false },
  version: { type: 'boolean', default: false },
} as const;

/** Throws `UsageError`. */
export function readArguments(argv: readonly string[]): Invocation {
  const { values, positionals } = parse(argv);
  if (values.help) return { command: 'help' };
  if (values.version) return { command: 'version' };
  checkTexts(values);
  const [first, second, third] = positionals;
  if (first === 'token' && positionals.length <= 2) return readToken(second, values);
  if (values.project ?? values.expires)
    throw new UsageError('--project and --expires belong to stepwise token NAME.');
  const flags = readFlags(values);
  if (first === 'tool' && positionals.length <= 3) {
    return { command: 'tool', name: second, args: third ?? '{}', options: flags };
  }
  if (first === 'replay' && second === undefined) throw new UsageError(REPLAY_WHAT);
  if (first === 'replay' && second !== undefined && positionals.length === 2) {
    return { command: 'replay', file: second, options: flags };
  }
  const task = positionals.join(' ').trim();
  return { command: 'run', task: task === '' ? undefined : task, options: flags };
}

function readToken(name: string | undefined, values: ReturnType<typeof parse>['values']): Invocation {
  if (name === undefined) throw new UsageError(TOKEN_WHAT);
  const { project: projects = [], expires, file: [file, ...more] = [] } = values;
  if (more.length > 0)
    throw new UsageError('token takes one --file: the file of tokens to put the entry into.');
  return { command: 'token', name, projects, expires, file };
}

const parse = (argv: readonly string[]) => parseOptions(argv, options);

/** Throws `UsageError` for a flag with an empty text: a script's variable that is not set, mostly. */
function checkTexts(values: ReturnType<typeof parse>['values']): void {
  const empty = Object.entries(values).find(([, value]) => [value].flat().includes(''));
  if (empty) throw new UsageError(`--${empty[0]} has no value.`);
  if (values.server !== undefined) checkServer(values.server);
  else if (values.token !== undefined)
    throw new UsageError('--token needs --server: it is for a service that runs already.');
}

function checkServer(url: string): void {
  const protocol = URL.canParse(url) ? new URL(url).protocol : undefined;
  if (protocol === 'http:' || protocol === 'https:') return;
  throw new UsageError('--server must be the http or https URL of a service, such as http://127.0.0.1:8080.');
}

function readFlags(values: ReturnType<typeof parse>['values']): RunFlags {
  const { dir, model, upstream, tools, yes, json, verbose, save, resume, server, token } = values;
  return {
    ...{ dir, model, upstream, tools, yes, json, verbose, save, resume, server, token },
    protocol: oneOf('--protocol', protocols, values.protocol),
    strategy: oneOf('--strategy', strategies, values.strategy),
    maxSteps: wholeNumber('--max-steps', values['max-steps']),
    tokenLimit: wholeNumber('--token-limit', values['token-limit']),
    files: values.file ?? [],
    pins: values.pin ?? [],
    limits: readLimits(values),
  };
}

/** What is not given keeps the default of the tool pack. */
function readLimits(values: ReturnType<typeof parse>['values']): Partial<ToolLimits> {
  const maxLines = wholeNumber('--max-lines', values['max-lines']);
  const maxFiles = wholeNumber('--max-files', values['max-files']);
  const maxMatches = wholeNumber('--max-matches', values['max-matches']);
  const seconds = wholeNumber('--command-timeout', values['command-timeout']);
  if (seconds !== undefined && seconds > MAX_COMMAND_SECONDS)
    throw new UsageError(`--command-timeout must be at most ${MAX_COMMAND_SECONDS} (a day).`);
  return {
    ...(maxLines !== undefined && { maxLines }),
    ...(maxFiles !== undefined && { maxFiles }),
    ...(maxMatches !== undefined && { maxMatches }),
    ...(seconds !== undefined && { commandTimeoutMs: seconds * 1_000 }),
  };
}

function oneOf<Value extends string>(flag: string, allowed: readonly Value[], value: string | undefined) {
  if (value === undefined) return undefined;
  const found = allowed.find((each) => each === value);
  if (!found) throw new UsageError(`${flag} must be one of: ${allowed.join(', ')}.`);
  return found;
}

function wholeNumber(flag: string, value: string | undefined): number | undefined {
  if (value === undefined) return undefined;
  if (!/^[1-9]\d{0,8}$/.test(value)) throw new UsageError(`${flag} must be a whole number from 1.`);
  return Number(value);
}
