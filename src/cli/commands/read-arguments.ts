import type { ToolLimits } from '../../tools/index.js';
import { parseOptions } from './parse-options.js';
import { UsageError } from './usage.js';

/** What the command line asks for. */
export type Invocation =
  | { readonly command: 'run'; readonly task: string | undefined; readonly options: RunFlags }
  | {
      readonly command: 'tool';
      readonly name: string;
      readonly args: string;
      readonly options: RunFlags;
    }
  | { readonly command: 'tool-help'; readonly name: string | undefined; readonly options: RunFlags }
  | { readonly command: 'doctor'; readonly options: RunFlags }
  | { readonly command: 'acp'; readonly options: RunFlags }
  | { readonly command: 'completion'; readonly shell: string | undefined }
  | { readonly command: 'replay'; readonly file: string; readonly options: RunFlags }
  | {
      readonly command: 'view';
      readonly file: string;
      /** Only the address is printed. */
      readonly staysClosed: boolean;
      readonly options: RunFlags;
    }
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
  /** A file, the id of a run or its number; `ASK_WHICH` if the person is asked. */
  readonly resume: string | undefined;
  /** From the newest run of the folder (`--continue`). */
  readonly goOn: boolean;
  readonly server: string | undefined;
  /** The service's own; for `server` alone. */
  readonly token: string | undefined;
  readonly limits: Partial<ToolLimits>;
  /** A file that names MCP servers, beside that of the folder. */
  readonly mcp: string | undefined;
  /** Servers are started and their tools offered though nobody looked at them. */
  readonly allowMcp: boolean;
}

const TOKEN_WHAT =
  'token needs a name for whom it is. Usage: stepwise token NAME [--project ID]… [--expires DATE] [--file FILE]';
const VIEW_WHAT = 'view needs the file of a saved run. Usage: stepwise view FILE [--no-open]';
const REPLAY_WHAT = 'replay needs the file of a saved run. Usage: stepwise replay FILE [--json]';

/** Neither an argument nor a pipe nor a person said what to do. */
export const NO_TASK =
  'There is no task. Give one: stepwise "How is the discount calculated?", or pipe it in; at a terminal, stepwise alone asks for it.';

/** What `--resume` stands for by itself. */
export const ASK_WHICH = '?';

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
  mcp: { type: 'string' },
  'allow-mcp': { type: 'boolean', default: false },
  yes: { type: 'boolean', short: 'y', default: false },
  json: { type: 'boolean', default: false },
  verbose: { type: 'boolean', short: 'v', default: false },
  save: { type: 'string' },
  resume: { type: 'string', short: 'r' },
  continue: { type: 'boolean', short: 'c', default: false },
  server: { type: 'string' },
  token: { type: 'string' },
  project: { type: 'string', multiple: true },
  expires: { type: 'string' },
  'max-lines': { type: 'string' },
  'max-files': { type: 'string' },
  'max-matches': { type: 'string' },
  'command-timeout': { type: 'string' },
  'no-open': { type: 'boolean', default: false },
  help: { type: 'boolean', short: 'h', default: false },
  version: { type: 'boolean', default: false },
} as const;

/** Throws `UsageError`. */
export function readArguments(argv: readonly string[]): Invocation {
  const { values, positionals } = parse(argv);
  const [first, second] = positionals;
  if (values.help && first !== 'tool') return { command: 'help' };
  if (values.version) return { command: 'version' };
  checkTexts(values);
  if (first === 'token' && positionals.length <= 2) return readToken(second, values);
  if (values.project ?? values.expires)
    throw new UsageError('--project and --expires belong to stepwise token NAME.');
  const flags = readFlags(values);
  if (first === 'tool' && positionals.length <= 3) return readTool(positionals, values.help, flags);
  if ((first === 'doctor' || first === 'acp') && positionals.length === 1)
    return { command: first, options: flags };
  if (first === 'completion' && positionals.length <= 2) return { command: 'completion', shell: second };
  if (first === 'view' && positionals.length <= 2) return readView(second, values['no-open'], flags);
  if (values['no-open']) throw new UsageError('--no-open belongs to stepwise view FILE.');
  if (first === 'replay' && positionals.length <= 2) return readReplay(second, flags);
  const task = positionals.join(' ').trim();
  return { command: 'run', task: task === '' ? undefined : task, options: flags };
}

/** Alone, or with `--help`, the tools are told and none is run. */
function readTool([, name, args = '{}']: readonly string[], isHelp: boolean, options: RunFlags): Invocation {
  if (name === undefined || isHelp) return { command: 'tool-help', name, options };
  return { command: 'tool', name, args, options };
}

function readReplay(file: string | undefined, options: RunFlags): Invocation {
  if (file === undefined) throw new UsageError(REPLAY_WHAT);
  return { command: 'replay', file, options };
}

function readView(file: string | undefined, staysClosed: boolean, options: RunFlags): Invocation {
  if (file === undefined) throw new UsageError(VIEW_WHAT);
  return { command: 'view', file, staysClosed, options };
}

function readToken(name: string | undefined, values: ReturnType<typeof parse>['values']): Invocation {
  if (name === undefined) throw new UsageError(TOKEN_WHAT);
  const { project: projects = [], expires, file: [file, ...more] = [] } = values;
  if (more.length > 0)
    throw new UsageError('token takes one --file: the file of tokens to put the entry into.');
  return { command: 'token', name, projects, expires, file };
}

const parse = (argv: readonly string[]) => parseOptions(withWholeResume(argv), options);

/** An option of `parseArgs` has a value or has none: here the one that may have one gets it. */
function withWholeResume(argv: readonly string[]): readonly string[] {
  const isBare = (word: string, index: number) =>
    (word === '--resume' || word === '-r') &&
    !argv.slice(0, index).includes('--') &&
    (argv[index + 1] ?? '-').startsWith('-');
  return argv.map((word, index) => (isBare(word, index) ? `--resume=${ASK_WHICH}` : word));
}

/** Throws `UsageError` for a flag with an empty text: a script's variable that is not set, mostly. */
function checkTexts(values: ReturnType<typeof parse>['values']): void {
  if (values.continue && values.resume !== undefined)
    throw new UsageError('--continue takes up the newest run, --resume the one that is named: not both.');
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
  const { dir, model, upstream, tools, mcp, yes, json, verbose, save, resume, server, token } = values;
  return {
    ...{ dir, model, upstream, tools, mcp, yes, json, verbose, save, resume, server, token },
    allowMcp: values['allow-mcp'],
    goOn: values.continue,
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
