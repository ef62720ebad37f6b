import { Option } from 'commander';
import { UsageError } from './usage.js';

/** Value of `--resume` without a run: the CLI asks which one. */
export const ASK_WHICH = '?';

/** Maximum of `--command-timeout`: a day. */
const MAX_COMMAND_SECONDS = 86_400;
const MAX_NUMBER = 999_999_999;

export const protocols = ['text', 'xml', 'json', 'native', 'auto'] as const;
export const strategies = ['react', 'reason-act-observe'] as const;

export const lastSteps = ['answer', 'act'] as const;

/** Converts the text after a flag. `previous` is the value of an earlier use of the same flag. */
type ReadValue = (value: string, flag: string, previous: unknown) => unknown;

/**
 * Declares an option with a value. Commander would accept a value that begins with "-" after a space (`--model
 * --yes`), so the option is declared with an optional value, and a missing one is refused here.
 */
function valueOption(flags: string, help: string, read: ReadValue = (value) => value): Option {
  const option = new Option(flags, help);
  const flag = `--${option.name()}`;
  option.required = false;
  option.optional = true;
  return option.preset('').argParser((value, previous: unknown) => {
    if (value !== '') return read(value, flag, previous);
    throw new UsageError(`${flag} needs a value. Write one that begins with "-" as ${flag}=VALUE.`);
  });
}

const wholeNumberFrom =
  (min: number, max = MAX_NUMBER): ReadValue =>
  (value, flag) => {
    const number = /^\d{1,9}$/.test(value) ? Number(value) : Number.NaN;
    if (number >= min && number <= max) return number;
    throw new UsageError(`${flag} must be a whole number from ${min} to ${max}.`);
  };

const wholeNumber = wholeNumberFrom(1);

const collect: ReadValue = (value, _flag, previous) => [...(Array.isArray(previous) ? previous : []), value];

const serverUrl: ReadValue = (value, flag) => {
  const protocol = URL.canParse(value) ? new URL(value).protocol : undefined;
  if (protocol === 'http:' || protocol === 'https:') return value;
  throw new UsageError(`${flag} must be the http or https URL of a service, such as http://127.0.0.1:8080.`);
};

function choiceOption(flags: string, help: string, choices: readonly string[]): Option {
  const option = valueOption(flags, help, (value, flag) => {
    if (choices.includes(value)) return value;
    throw new UsageError(`${flag} must be one of: ${choices.join(', ')}.`);
  });
  option.argChoices = [...choices];
  return option;
}

/**
 * Every option of every command except `serve`. Shell completion offers file names where the value is called FILE, PATH,
 * MODULE or RUN, and folders where it is called FOLDER.
 */
export const options = {
  dir: valueOption(
    '--dir <FOLDER>',
    'folder that the tools may read and change (default: the current folder)',
  ),
  model: valueOption('--model <NAME>', 'model; without it "offline", which only searches and needs no key'),
  upstream: valueOption('--upstream <NAME>', 'configured endpoint that serves the model, or ollama'),
  protocol: choiceOption('--protocol <P>', 'format in which the model writes its tool calls', protocols),
  strategy: choiceOption('--strategy <S>', 'model calls of one round', strategies),
  maxSteps: valueOption(
    '--max-steps <N>',
    'maximum model calls, or rounds with reason-act-observe (default: 10)',
    wholeNumber,
  ),
  lastStep: choiceOption(
    '--last-step <WHAT>',
    'what the model may do in the last step (default: answer)',
    lastSteps,
  ),
  answerSchema: valueOption(
    '--answer-schema <FILE>',
    'file with a JSON Schema: the answer is JSON that fits it, alone on standard output',
  ),
  tokenLimit: valueOption(
    '--token-limit <N>',
    'maximum tokens of prompt and reply together (default: 32000)',
    wholeNumberFrom(2), // one token is reserved for the reply
  ),
  file: valueOption(
    '--file <PATH>',
    'add a file or folder to the context, as @PATH in the task does; PATH:10-40 adds these lines (repeatable)',
    collect,
  ),
  pin: valueOption('--pin <ID>', 'add .stepwise/pinned/ID.md to the context (repeatable)', collect),
  tools: valueOption('--tools <MODULE>', 'module that exports more tools (defineTool) as "tools"'),
  mcp: valueOption(
    '--mcp <FILE>',
    'file with MCP servers, in addition to .mcp.json of the folder; each needs your consent before it starts',
  ),
  allowMcp: new Option(
    '--allow-mcp',
    'start the MCP servers without asking for consent; their calls still need approval',
  ),
  maxLines: valueOption('--max-lines <N>', 'maximum lines per read_file call (default: 500)', wholeNumber),
  maxFiles: valueOption('--max-files <N>', 'maximum files per list_files call (default: 200)', wholeNumber),
  maxMatches: valueOption('--max-matches <N>', 'maximum matches per search (default: 50)', wholeNumber),
  commandTimeout: valueOption(
    '--command-timeout <S>',
    'seconds after which a command is stopped (default: 60)',
    wholeNumberFrom(1, MAX_COMMAND_SECONDS),
  ),
  yes: new Option('-y, --yes', 'approve every call without asking'),
  json: new Option('--json', 'print events as JSON, one per line'),
  verbose: new Option('-v, --verbose', 'print whole observations, and what did not fit into the prompt'),
  save: valueOption(
    '--save <FILE>',
    'also save the run in this file; every run is saved in your state folder',
  ),
  continue: new Option('-c, --continue', 'continue the newest run of this folder'),
  resume: valueOption(
    '-r, --resume [RUN]',
    'continue a saved run: its file, id or number; without RUN the CLI asks which one',
  ).preset(ASK_WHICH),
  server: valueOption(
    '--server <URL>',
    'use a running service instead of one inside this process',
    serverUrl,
  ),
  token: valueOption(
    '--token <T>',
    'token for that service; STEPWISE_TOKEN is safer, since other programs cannot see it',
  ),
  project: valueOption('--project <ID>', 'project that the token allows (repeatable; default: all)', collect),
  expires: valueOption(
    '--expires <DATE>',
    'end of the token: 2027-01-31, 2027-01-31T12:00:00Z or 90d (default: never)',
  ),
  watch: new Option('--watch', 'let the token watch all steps of its projects, with prompts and replies'),
  tokenFile: valueOption('--file <FILE>', 'add the entry to this file of tokens', collect),
  matrix: valueOption(
    '--matrix <FILE>',
    'YAML file with the models, protocols, instructions, budgets and parsers to compare, and how strictly',
  ),
  parserOnly: new Option('--parser-only', 'read the recorded replies again; call no model'),
  parser: valueOption(
    '--parser <MODULE>',
    'module with the exports of stepwise/parsing, which reads the replies',
  ),
  jsonFile: valueOption('--json <FILE>', 'write the report as JSON'),
  junit: valueOption('--junit <FILE>', 'write the report as JUnit XML'),
  html: valueOption('--html <FILE>', 'write the report as one HTML page that needs no other file'),
  update: new Option('--update', 'accept the present differences in the baseline'),
  concurrency: valueOption(
    '--concurrency <N>',
    'maximum steps that are asked for at the same time (default: 4)',
    wholeNumber,
  ),
  noOpen: new Option('--no-open', 'print the address without opening a browser'),
  help: new Option('-h, --help', 'print this help'),
  version: new Option('--version', 'print the version'),
} as const;
