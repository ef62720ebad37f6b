import { Command } from 'commander';
import type { ToolLimits } from '../../tools/index.js';
import { wordWithin } from './closest-word.js';
import { declareProgram, everyOption, renderHelp } from './declared-commands.js';
import type { lastSteps, protocols, strategies } from './declared-options.js';
import { parseOptions, unknownOption } from './parse-options.js';
import { UsageError } from './usage.js';

/** The command that the command line asks for, with its arguments and options. */
export type Invocation =
  | { readonly command: 'run'; readonly task: string | undefined; readonly options: RunFlags }
  | {
      readonly command: 'tool';
      readonly name: string;
      readonly args: string;
      readonly options: RunFlags;
    }
  | {
      readonly command: 'tool-help';
      readonly name: string | undefined;
      /** Help text of `stepwise tool`, printed before the list of tools. */
      readonly help: string;
      readonly options: RunFlags;
    }
  | { readonly command: 'doctor'; readonly options: RunFlags }
  | { readonly command: 'acp'; readonly options: RunFlags }
  | { readonly command: 'completion'; readonly shell: string | undefined }
  | { readonly command: 'replay'; readonly file: string; readonly options: RunFlags }
  | {
      readonly command: 'view';
      readonly file: string;
      readonly opensBrowser: boolean;
      readonly options: RunFlags;
    }
  | { readonly command: 'eval'; readonly evaluation: EvalFlags; readonly options: RunFlags }
  | {
      readonly command: 'token';
      readonly name: string;
      readonly projects: readonly string[];
      readonly expires: string | undefined;
      readonly watch: boolean;
      readonly file: string | undefined;
    }
  | { readonly command: 'help'; readonly text: string }
  | { readonly command: 'version' };

/** Arguments of `stepwise eval`, except those for the model and the service, which are in `RunFlags`. */
export interface EvalFlags {
  readonly paths: readonly string[];
  /** YAML file of the matrix. */
  readonly matrix: string | undefined;
  readonly parserOnly: boolean;
  /** Module that reads the replies. */
  readonly parser: string | undefined;
  /** Paths of the reports to write, by format. */
  readonly files: Readonly<Record<'json' | 'junit' | 'html', string | undefined>>;
  readonly updates: boolean;
  readonly concurrency: number;
}

/** Options of a run. If a command does not declare an option, the option has its default. */
export interface RunFlags {
  readonly dir: string;
  readonly model: string | undefined;
  readonly upstream: string | undefined;
  readonly protocol: (typeof protocols)[number] | undefined;
  readonly strategy: (typeof strategies)[number] | undefined;
  readonly maxSteps: number | undefined;
  readonly lastStep: (typeof lastSteps)[number] | undefined;
  /** File with the JSON Schema of the answer. */
  readonly answerSchema: string | undefined;
  readonly tokenLimit: number | undefined;
  readonly files: readonly string[];
  readonly pins: readonly string[];
  readonly tools: string | undefined;
  readonly yes: boolean;
  readonly json: boolean;
  readonly verbose: boolean;
  readonly save: string | undefined;
  /** The run to continue: its file, id or number, or `ASK_WHICH` if the person chooses it. */
  readonly resume: string | undefined;
  /** True if the run continues the newest run of the folder (`--continue`). */
  readonly continueNewest: boolean;
  readonly server: string | undefined;
  /** Token for `server`. */
  readonly token: string | undefined;
  /** Limits that are absent keep the defaults of the tool pack. */
  readonly limits: Partial<ToolLimits>;
  /** File with MCP servers, in addition to the `.mcp.json` of the folder. */
  readonly mcp: string | undefined;
  /** Starts MCP servers and offers their tools without asking for consent. */
  readonly allowMcp: boolean;
}

/** Values of the options that were given, as Commander names them. */
interface GivenOptions {
  readonly dir?: string;
  readonly model?: string;
  readonly upstream?: string;
  readonly protocol?: (typeof protocols)[number];
  readonly strategy?: (typeof strategies)[number];
  readonly maxSteps?: number;
  readonly lastStep?: (typeof lastSteps)[number];
  readonly answerSchema?: string;
  readonly tokenLimit?: number;
  readonly file?: readonly string[];
  readonly pin?: readonly string[];
  readonly tools?: string;
  readonly mcp?: string;
  readonly allowMcp?: boolean;
  readonly maxLines?: number;
  readonly maxFiles?: number;
  readonly maxMatches?: number;
  readonly commandTimeout?: number;
  readonly yes?: boolean;
  readonly json?: boolean;
  readonly verbose?: boolean;
  readonly save?: string;
  readonly continue?: boolean;
  readonly resume?: string;
  readonly server?: string;
  readonly token?: string;
  readonly project?: readonly string[];
  readonly expires?: string;
  readonly watch?: boolean;
  readonly open?: boolean;
  readonly help?: boolean;
  readonly version?: boolean;
}

/** Message if there is no task, no piped input and no person to ask. */
export const NO_TASK =
  'There is no task. Give one: stepwise "How is the discount calculated?", or pipe it in; at a terminal, stepwise alone asks for it.';

/** Maximum number of wrong letters in a single word for which it is taken for a mistyped command. */
const MAX_TYPO_DISTANCE = 2;

/** Reads the words after `stepwise`. Throws `UsageError`, which names the wrong word or option. */
export function readArguments(argv: readonly string[]): Invocation {
  const program = declareProgram();
  if (argv[0] === 'eval') return readEval(program, argv.slice(1));
  const parser = createParser(program);
  const { operands, unknown } = parser.parseOptions([...argv]);
  const command = findCommand(program, argv, operands);
  if (unknown[0] !== undefined) throw unknownOption(unknown[0], command);
  refuseForeignOptions(command, parser);
  const given = parser.opts<GivenOptions>();
  if (given.help && command.name() !== 'tool') return { command: 'help', text: renderHelp(command) };
  if (given.version) return { command: 'version' };
  if (command === program) refuseMistypedCommand(program, argv, operands);
  checkCombinations(given);
  return toInvocation(command, operands, given);
}

/** Returns a command with the options of all commands, because options may precede the command's name. */
function createParser(program: Command): Command {
  const parser = new Command();
  for (const option of everyOption(program)) parser.addOption(option);
  return parser;
}

/**
 * Returns the command that the first word names. If no command has this name, if the word follows `--`, or if there are
 * more words than the command takes, all words are a task: then returns the program itself.
 */
function findCommand(program: Command, argv: readonly string[], operands: readonly string[]): Command {
  if (!hasWordBeforeDashes(argv, operands)) return program;
  const [name, ...words] = operands;
  const command = program.commands.find((each) => each.name() === name);
  return command && words.length <= command.registeredArguments.length ? command : program;
}

function hasWordBeforeDashes(argv: readonly string[], operands: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return end < 0 || operands.length > argv.length - end - 1;
}

/** Throws if an option of another command was given. */
function refuseForeignOptions(command: Command, parser: Command): void {
  const foreign = parser.options.find(
    (option) =>
      parser.getOptionValueSource(option.attributeName()) === 'cli' &&
      !command.options.some(({ long }) => long === option.long),
  );
  if (!foreign) return;
  const name = `stepwise ${command.name()}`;
  if (command.parent)
    throw new UsageError(`${name} has no option ${foreign.long}. ${name} --help lists its options.`);
  const owner = command.commands.find(({ options }) => options.some(({ long }) => long === foreign.long));
  throw new UsageError(`${foreign.long} is an option of stepwise ${owner?.name()}, not of a task.`);
}

/** Throws if the only word is spelled almost like a command: it is probably a typing mistake rather than a task. */
function refuseMistypedCommand(program: Command, argv: readonly string[], operands: readonly string[]): void {
  const [word = ''] = operands;
  if (operands.length !== 1 || !/^[\w-]+$/.test(word) || argv.includes('--')) return;
  const names = program.commands.map((command) => command.name());
  const similar = wordWithin(MAX_TYPO_DISTANCE, word, names);
  if (similar === undefined || names.includes(word)) return;
  throw new UsageError(
    `There is no command ${word}. Did you mean stepwise ${similar}? To run it as a task: stepwise -- ${word}`,
  );
}

function toInvocation(command: Command, operands: readonly string[], given: GivenOptions): Invocation {
  const [, word, json = '{}'] = operands;
  const options = readFlags(given);
  switch (command.parent && command.name()) {
    case 'tool':
      return word === undefined || given.help
        ? { command: 'tool-help', name: word, help: renderToolHelp(command, word, given), options }
        : { command: 'tool', name: word, args: json, options };
    case 'doctor':
      return { command: 'doctor', options };
    case 'acp':
      return { command: 'acp', options };
    case 'completion':
      return { command: 'completion', shell: word };
    case 'token':
      return readToken(command, word, given);
    case 'replay':
      return { command: 'replay', file: requireWord(command, word), options };
    case 'view':
      return {
        command: 'view',
        file: requireWord(command, word),
        opensBrowser: given.open !== false,
        options,
      };
    case 'serve':
      throw new UsageError('serve must be the first word: stepwise serve [--print-config].');
    case 'eval':
      throw new UsageError('eval must be the first word: stepwise eval PATH… [options].');
    default: {
      const task = operands.join(' ').trim();
      return { command: 'run', task: task === '' ? undefined : task, options };
    }
  }
}

interface GivenEvalOptions extends Omit<GivenOptions, 'json'> {
  readonly matrix?: string;
  readonly parserOnly?: boolean;
  readonly parser?: string;
  readonly json?: string;
  readonly junit?: string;
  readonly html?: string;
  readonly update?: boolean;
  readonly concurrency?: number;
}

const DEFAULT_CONCURRENCY = 4;

/** Reads the words after `stepwise eval`, whose `--json` takes a file, unlike that of the other commands. */
function readEval(program: Command, argv: readonly string[]): Invocation {
  const command = program.commands.find((each) => each.name() === 'eval') ?? program;
  const paths = parseOptions(command, argv);
  const { json, ...given } = command.opts<GivenEvalOptions>();
  if (given.help) return { command: 'help', text: renderHelp(command) };
  requireWord(command, paths[0]);
  checkCombinations(given);
  if (given.parserOnly && (given.model ?? given.protocol ?? given.tokenLimit ?? given.server) !== undefined)
    throw new UsageError(
      '--parser-only calls no model: leave out --model, --protocol, --token-limit and --server.',
    );
  if (given.upstream !== undefined && given.model === undefined)
    throw new UsageError('--upstream needs --model: it names the endpoint that serves the model.');
  const { matrix, parser, junit, html } = given;
  return {
    command: 'eval',
    evaluation: {
      paths,
      matrix,
      parser,
      parserOnly: given.parserOnly ?? false,
      files: { json, junit, html },
      updates: given.update ?? false,
      concurrency: given.concurrency ?? DEFAULT_CONCURRENCY,
    },
    options: readFlags(given),
  };
}

/** Renders the usage line above the list of tools. `stepwise tool --help` gets the full help instead. */
function renderToolHelp(command: Command, name: string | undefined, { help }: GivenOptions): string {
  if (help && name === undefined) return renderHelp(command);
  return `Usage: stepwise tool ${command.usage().replace('NAME', name ?? 'NAME')}`;
}

/** Returns the first argument of a command. Throws `UsageError` if it is missing. */
function requireWord(command: Command, word: string | undefined): string {
  if (word !== undefined) return word;
  const [name, meaning] = [command.name(), command.registeredArguments[0]?.description];
  throw new UsageError(`${name} needs ${meaning}. Usage: stepwise ${name} ${command.usage()}`);
}

function readToken(command: Command, word: string | undefined, given: GivenOptions): Invocation {
  const name = requireWord(command, word);
  const { project: projects = [], expires, watch = false, file: [file, ...more] = [] } = given;
  if (more.length > 0)
    throw new UsageError('token takes one --file: the file of tokens to put the entry into.');
  return { command: 'token', name, projects, expires, watch, file };
}

function checkCombinations({ continue: continueNewest, resume, server, token }: GivenOptions): void {
  if (continueNewest && resume !== undefined)
    throw new UsageError(
      '--continue takes the newest run, --resume the one that you name. Use one of them, not both.',
    );
  if (token !== undefined && server === undefined)
    throw new UsageError('--token needs --server: it is for a service that runs already.');
}

function readFlags(given: GivenOptions): RunFlags {
  const { model, upstream, protocol, strategy, maxSteps, lastStep, tokenLimit } = given;
  const { tools, mcp, save, resume, server, token, answerSchema } = given;
  return {
    ...{ model, upstream, protocol, strategy, maxSteps, lastStep, tokenLimit },
    ...{ tools, mcp, save, resume, server, token, answerSchema },
    dir: given.dir ?? '.',
    yes: given.yes ?? false,
    json: given.json ?? false,
    verbose: given.verbose ?? false,
    allowMcp: given.allowMcp ?? false,
    continueNewest: given.continue ?? false,
    files: given.file ?? [],
    pins: given.pin ?? [],
    limits: readLimits(given),
  };
}

function readLimits({ maxLines, maxFiles, maxMatches, commandTimeout }: GivenOptions): Partial<ToolLimits> {
  return {
    ...(maxLines !== undefined && { maxLines }),
    ...(maxFiles !== undefined && { maxFiles }),
    ...(maxMatches !== undefined && { maxMatches }),
    ...(commandTimeout !== undefined && { commandTimeoutMs: commandTimeout * 1_000 }),
  };
}
