import { type Argument, Command, Option } from 'commander';
import { options as all } from './declared-options.js';

const toolLimits = [all.maxLines, all.maxFiles, all.maxMatches, all.commandTimeout];
const moduleOptions = [all.dir, all.tools];
const modelOptions = [
  ...[all.model, all.upstream, all.protocol, all.strategy],
  ...[all.maxSteps, all.lastStep, all.answerSchema, all.tokenLimit],
];
const serverOptions = [all.server, all.token];

const runOptions = [
  ...[all.dir, ...modelOptions, all.file, all.pin, all.tools, all.mcp, all.allowMcp],
  ...[...toolLimits, all.yes, all.json, all.verbose, all.save, all.continue, all.resume],
  ...[...serverOptions, all.help, all.version],
];

interface DeclaredCommand {
  /** Arguments and the most useful options, as the help prints them after the name. */
  readonly usage: string;
  readonly summary: string;
  /** Descriptions of the arguments, by name: `<NAME>` is required, `[NAME]` optional. */
  readonly words: Readonly<Record<string, string>>;
  readonly options: readonly Option[];
}

const commands: Readonly<Record<string, DeclaredCommand>> = {
  tool: {
    usage: 'NAME [JSON] [--dir .]',
    summary: 'run one tool without a model; without NAME: list the tools and their arguments',
    words: { '[NAME]': 'name of the tool', '[JSON]': 'arguments of the tool, as a JSON object' },
    options: [...moduleOptions, all.mcp, all.allowMcp, ...toolLimits, all.yes],
  },
  serve: {
    usage: '[--help]',
    summary: 'start the service, which the environment configures',
    words: {},
    options: [new Option('--print-config', 'print the configuration without secrets, and exit')],
  },
  acp: {
    usage: '[options]',
    summary: 'serve an editor over the Agent Client Protocol on standard input and output',
    words: {},
    options: [...moduleOptions, ...modelOptions, ...toolLimits, ...serverOptions],
  },
  doctor: {
    usage: '[--dir .] [--server URL]',
    summary: 'check Node.js, folders, keys and endpoints; print no secret',
    words: {},
    options: [all.dir, all.mcp, all.server],
  },
  completion: {
    usage: 'bash|zsh|fish',
    summary: 'print a completion script for the shell',
    words: { '<SHELL>': 'bash, zsh or fish' },
    options: [],
  },
  token: {
    usage: 'NAME [--project ID]… [--expires DATE] [--watch] [--file FILE]',
    summary: 'create a token for callers of a service',
    words: { '<NAME>': 'a name for the caller who will use it' },
    options: [all.project, all.expires, all.watch, all.tokenFile],
  },
  replay: {
    usage: 'FILE [--json]',
    summary: "show a saved run again, and parse the model's replies with today's parser",
    words: { '<FILE>': 'the file of a saved run' },
    options: [all.json, all.verbose],
  },
  eval: {
    usage: 'PATH… [--matrix FILE | --model M] [--parser-only] [--html FILE]',
    summary: 'make the steps of saved runs again, with other models or prompts, and compare',
    words: { '<PATH...>': 'saved runs, or folders of them' },
    options: [
      ...[all.matrix, all.model, all.upstream, all.protocol, all.tokenLimit, all.parserOnly, all.parser],
      ...[all.jsonFile, all.junit, all.html, all.update, all.concurrency, all.verbose],
      ...serverOptions,
    ],
  },
  view: {
    usage: 'FILE [--no-open]',
    summary: 'show a saved run in the browser, until Ctrl-C',
    words: { '<FILE>': 'the file of a saved run' },
    options: [all.noOpen],
  },
};

const NOTES = `
stepwise COMMAND --help prints the options of a command.
The model key comes from STEPWISE_LLM_KEY, or else from the vendor's usual variable, or else the CLI asks for it.
Exit code: 0 answered, 1 error, 2 step limit, 3 ended after a denial, 4 needs input, 130 interrupted;
of eval: 0 no difference, 1 differences, 2 steps without a result.
`;

/**
 * Declares the program, which runs tasks, and its commands. Parsing, help and shell completion read this declaration.
 */
export function declareProgram(): Command {
  const program = new Command('stepwise').usage('[options] ["task"]');
  program.helpOption(false).helpCommand(false);
  program.configureHelp({ subcommandTerm: renderTerm, optionDescription: describeOption });
  for (const option of runOptions) program.addOption(option);
  for (const [name, { usage, summary, words, options }] of Object.entries(commands)) {
    const command = program.command(name).usage(usage).description(summary);
    for (const [word, meaning] of Object.entries(words)) command.argument(word, meaning);
    for (const option of [...options, all.help]) command.addOption(option);
  }
  return program;
}

/** Returns the options of the program and of all its commands, each flag once. */
export function everyOption(program: Command): Option[] {
  const every = [program, ...program.commands].flatMap(({ options }) => options);
  return every.filter((option, index) => index === every.findIndex(({ long }) => long === option.long));
}

function renderTerm(command: Command): string {
  return [command.name(), ...command.registeredArguments.map(renderArgument)].join(' ');
}

const renderArgument = (argument: Argument): string => {
  const name = `${argument.name()}${argument.variadic ? '…' : ''}`;
  return argument.required ? `<${name}>` : `[${name}]`;
};

/** Returns the description of an option, without the default value that Commander would add. */
const describeOption = ({ description, argChoices }: Option): string =>
  argChoices ? `${description}: ${argChoices.join(', ')}` : description;

/** Renders the help of the program or of one of its commands. */
export function renderHelp(command: Command): string {
  return command.parent ? command.helpInformation() : `${command.helpInformation()}${NOTES}`;
}
